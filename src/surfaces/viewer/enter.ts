// The first script, and a small one: it gets access while the browser reads the rest.
import { begin, takeCode } from './door.ts';

// Before the router reads the address.
takeCode();
begin();
void import('./main.tsx');
