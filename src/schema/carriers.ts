import { z } from 'zod';
import { carrierNames } from './carrier-names.ts';

export const Carrier = z.enum(carrierNames);
export type Carrier = z.infer<typeof Carrier>;
