// Imported before the router, so that the code is gone from the address when the router reads it.
import { takeCode } from './admission.ts';

takeCode();
