// Structured logs without secrets. Redacting known fields is not enough: a secret also turns up in
// a message, an error's text, a URL or a deeper field. So every line is scrubbed as text, by the
// shapes that keys have and by the values of the secrets this process holds.
import { pino } from 'pino';
import type { Logger as PinoLogger } from 'pino';
import { hideUrlPasswords } from './url-passwords.ts';

export type Logger = Pick<
  PinoLogger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'
>;

const HIDDEN = '[hidden]';

const SECRET_SHAPES: [RegExp, string][] = [
  [/mill_[a-z]{2}_[0-9A-Za-z_-]{6,}/g, HIDDEN],
  [/\b(?:sk|rk|pk)-[A-Za-z0-9_-]{8,}/g, HIDDEN],
  [/\bAIza[0-9A-Za-z_-]{10,}/g, HIDDEN],
  [/\bwhsec_[A-Za-z0-9+/=_-]{8,}/g, HIDDEN],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{4,}/gi, `Bearer ${HIDDEN}`],
  [
    /("(?:x-api-key|x-provider-key|x-share-token|authorization|(?:set-)?cookie|password|api[_-]?key|secret)"\s*:\s*")(?:[^"\\]|\\.)*"/gi,
    `$1${HIDDEN}"`,
  ],
];

export interface Scrubber {
  /** From now on this value is hidden wherever it turns up. */
  add(secret: string): void;
  remove(secret: string): void;
  scrub(text: string): string;
}

export function createScrubber(): Scrubber {
  const counts = new Map<string, number>();
  return {
    add(secret) {
      // Hiding a very short value would blank out half of every line.
      if (secret.length >= 6) counts.set(secret, (counts.get(secret) ?? 0) + 1);
    },
    remove(secret) {
      const left = (counts.get(secret) ?? 0) - 1;
      if (left > 0) counts.set(secret, left);
      else counts.delete(secret);
    },
    scrub(text) {
      let clean = text;
      for (const secret of counts.keys()) {
        if (clean.includes(secret)) clean = clean.replaceAll(secret, HIDDEN);
        const escaped = JSON.stringify(secret).slice(1, -1);
        if (escaped !== secret) clean = clean.replaceAll(escaped, HIDDEN);
      }
      for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement);
      return hideUrlPasswords(clean, HIDDEN);
    },
  };
}

export function createLogger(options: {
  level: string;
  scrubber: Scrubber;
  write(line: string): void;
}): Logger {
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => options.write(options.scrubber.scrub(line)) },
  );
}
