// Kinds of values that several settings have.
import { z } from 'zod';

/** Both ways of saying it are common. */
export const onOff = z
  .enum(['on', 'off', 'true', 'false'])
  .transform((text) => text === 'on' || text === 'true');

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
