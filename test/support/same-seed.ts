import fc from 'fast-check';
import { SEED } from './effort.ts';

fc.configureGlobal({ seed: SEED });
