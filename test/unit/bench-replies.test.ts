import { expect, it } from 'vitest';
import { wholeReply } from '../../bench/harness/replies.ts';

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

const REPLIES = {
  'a length': `${head('Content-Length: 11')}{"ok":"\u00c3\u00a9"}`,
  chunks: `${head('transfer-encoding: chunked')}5\r\n{"ok"\r\n1F;name=value\r\n${'x'.repeat(31)}\r\n0\r\n\r\n`,
  'chunks that look like an end': `${head('Transfer-Encoding: chunked')}5\r\n0\r\n\r\n\r\n0\r\n\r\n`,
  'chunks and a trailer': `${head('transfer-encoding: chunked')}1\r\na\r\n0\r\nserver-timing: a\r\n\r\n`,
  'no body': head('content-length: 0'),
};

it.each(Object.entries(REPLIES))('knows the end of a reply with %s', (_, reply) => {
  for (let size = 0; size < reply.length; size++) {
    expect(wholeReply(reply.slice(0, size))).toBeUndefined();
  }
  expect(wholeReply(reply)).toEqual({ status: 200, text: reply });
});

it('refuses a chunk without a size', () => {
  expect(() => wholeReply(`${head('transfer-encoding: chunked')}oops\r\n`)).toThrow('size');
});
