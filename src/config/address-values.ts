// Kinds of values that name addresses: of this server, of proxies, of web pages.
import { isIP } from 'node:net';
import { z } from 'zod';

export const publicUrl = z.string().transform((text, context) => {
  const origin = /^https?:\/\//.test(text) ? URL.parse(text)?.origin : undefined;
  if (origin !== undefined && (text === origin || text === `${origin}/`)) return origin;
  context.addIssue('must be an http or https address without a path');
  return z.NEVER;
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

export const addressList = z.string().transform((text, context) => {
  const list = text.split(',').map((one) => one.trim());
  if (list.every(isNetwork)) return list;
  context.addIssue('must be comma-separated addresses or networks such as 10.0.0.0/8');
  return z.NEVER;
});

export const origins = z.string().transform((text, context) => {
  const list = text.split(',').map((one) => one.trim());
  for (const one of list) {
    if (one === '*' || (/^https?:[^*]+$/.test(one) && URL.parse(one)?.origin === one)) continue;
    context.addIssue('must be * or comma-separated origins such as https://example.com');
    return z.NEVER;
  }
  return list;
});
