// Imported before the router, which reads the address: by then the code is out of it.
import { takeCode } from './admission.ts';

takeCode();
