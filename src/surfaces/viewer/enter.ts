// The first script, and a small one: it asks for access, then loads the rest while the worker answers.
import { begin, takeCode } from './door.ts';

/** A browser whose storage does not answer still gets a page, which says what is wrong. */
const patienceMs = 100;

// Before the router reads the address.
takeCode();
const patience = new Promise<void>((resolve) => setTimeout(resolve, patienceMs));
void Promise.race([begin(), patience]).then(() => import('./main.tsx'));
