// Follows a job's events and notes when they arrive.
import { request } from 'node:http';
import { now } from './clock.ts';

export interface Arrivals {
  firstTextAt: number | undefined;
  doneAt: number | undefined;
}

/** A reader on a plain socket: resolves when the stream ends. */
export function readStream(url: string, key?: string): Promise<Arrivals> {
  return new Promise((resolve, reject) => {
    const arrivals: Arrivals = { firstTextAt: undefined, doneAt: undefined };
    const headers = key === undefined ? {} : { 'x-api-key': key };
    request(url, { headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const at = now();
        if (arrivals.firstTextAt === undefined && text.includes('event: text'))
          arrivals.firstTextAt = at;
        if (text.includes('event: done')) arrivals.doneAt = at;
      });
      response.on('end', () => resolve(arrivals));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
