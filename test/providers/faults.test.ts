// Many jobs at a time against vendors that do everything wrong: each job ends, in time, with the
// whole text or without success.
import { expect, it } from 'vitest';
import { defaultText, FAULTS, VENDORS } from '../support/vendor/index.ts';
import type { FaultName, Vendor } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { useVendorJobs } from './vendor-jobs.ts';
import type { View } from './vendor-jobs.ts';

const jobs = useVendorJobs();

/** One for each vendor that plays it; FAULT_JOBS=25 puts more load on it. */
const JOBS_PER_FAULT = Number(process.env['FAULT_JOBS'] ?? VENDORS.length - 1);
/** Vendor, server and client share one thread: what waits in line longer is reset. */
const AT_ONCE = 100;
/** For jobs whose vendor never ends a call: only their deadline does. */
const SHORT_MS = 15_000;
const LONG_MS = 90_000;
/** How late a machine under load may be. */
const LATE_MS = 60_000;

type Ending = 'whole' | 'refused at once' | 'tried again' | 'turned away' | 'cut by its deadline';

const ENDINGS: Readonly<Partial<Record<FaultName, Ending>>> = {
  garbage: 'whole',
  'unknown-events': 'whole',
  gzip: 'whole',
  'slow-drip': 'whole',
  'usage-wrong': 'whole',
  length: 'whole',
  'http-400': 'refused at once',
  'http-401': 'refused at once',
  'http-402-billing': 'refused at once',
  'billing-in-disguise': 'refused at once',
  'http-403': 'refused at once',
  'http-404': 'refused at once',
  'http-413': 'refused at once',
  'context-length': 'refused at once',
  refusal: 'refused at once',
  'content-filter': 'refused at once',
  'http-408': 'tried again',
  'http-500': 'tried again',
  'http-502-html': 'tried again',
  'http-504': 'tried again',
  'http-529': 'tried again',
  'reset-before-headers': 'tried again',
  'reset-after-headers': 'tried again',
  'reset-mid-stream': 'tried again',
  'cut-mid-stream': 'tried again',
  'early-end': 'tried again',
  'half-json': 'tried again',
  'bad-json': 'tried again',
  'bad-shape': 'tried again',
  'html-200': 'tried again',
  'empty-200': 'tried again',
  'error-200': 'tried again',
  'error-event': 'tried again',
  'http-429': 'turned away',
  'http-429-ms': 'turned away',
  'http-429-plain': 'turned away',
  'hang-before-headers': 'cut by its deadline',
  'hang-before-first-chunk': 'cut by its deadline',
  'hang-mid-stream': 'cut by its deadline',
};

/** The vendors that play it; OpenAI's own API is not reached by a server with a base URL. */
function playersOf(fault: FaultName): Vendor[] {
  const { on } = FAULTS.get(fault)!;
  return VENDORS.filter((vendor) => vendor !== 'openai' && (on ?? VENDORS).includes(vendor));
}

interface Played {
  id: string;
  fault: FaultName;
  prompt: string;
  timeoutMs: number;
  job: View;
}

function createPlaces(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** `times`: the vendor recovers after so many calls. */
async function playAll(faults: readonly FaultName[], times?: number): Promise<Played[]> {
  const { submit, finished } = jobs();
  const place = createPlaces(AT_ONCE);
  const limited = (fault: FaultName) => /hang|429/.test(fault) && times === undefined;
  const plays = faults.flatMap((fault) =>
    Array.from({ length: JOBS_PER_FAULT }, async (_, nth): Promise<Played> => {
      const players = playersOf(fault);
      const id = `${fault}-${times ?? 'always'}-${nth}`;
      const often = times === undefined ? '' : ` times=${times}`;
      const prompt = `Work. [[vendor:reply id=${id}]] [[vendor:fault name=${fault}${often}]]`;
      const timeoutMs = limited(fault) ? SHORT_MS : LONG_MS;
      const vendor = players[nth % players.length]!;
      return place(async () => {
        const jobId = await submit(vendor, prompt, { body: { timeoutMs } });
        return { id, fault, prompt, timeoutMs, job: await finished(jobId) };
      });
    }),
  );
  return Promise.all(plays);
}

function expectInTime({ job, id, timeoutMs }: Played): void {
  const time = (name: string) => Date.parse(job[name] as string);
  expect(time('endedAt') - time('queuedAt'), id).toBeLessThan(timeoutMs + LATE_MS);
}

const CALLS: Readonly<Record<Ending, readonly [least: number, most: number]>> = {
  whole: [1, 1],
  'refused at once': [1, 1],
  'tried again': [2, 3],
  // Not a try of the job, but paced: a pause of half a second at least before each.
  'turned away': [1, 1 + SHORT_MS / 500],
  'cut by its deadline': [1, 1],
};

it('every job ends as its fault demands', async () => {
  verifies('job.provider-error.permanent', 'job.provider-error.transient');
  const faults = (Object.keys(ENDINGS) as FaultName[]).filter((name) => playersOf(name).length > 0);
  expect(faults.length).toBeGreaterThan(30);
  // Those that only their deadline ends go first, and wait while the others run.
  faults.sort((a, b) => Number(/hang|429/.test(b)) - Number(/hang|429/.test(a)));
  for (const played of await playAll(faults)) {
    const { job, id, fault, prompt } = played;
    const ending = ENDINGS[fault]!;
    const label = `${id}: ${String(job['error'])}`;
    expect(job.status, label).toBe(ending === 'whole' ? 'completed' : 'failed');
    if (ending === 'whole') expect(job['output'], label).toBe(defaultText(prompt));
    if (ending === 'cut by its deadline') expect(job.errorCode, label).toBe('TIMEOUT');
    if (ending === 'turned away') expect(job.errorCode).toMatch(/^(TIMEOUT|PROVIDER_RATE_LIMIT)$/);
    const [least, most] = CALLS[ending];
    const calls = jobs().vendors.calls({ id }).length;
    expect(calls, label).toBeGreaterThanOrEqual(least);
    expect(calls, label).toBeLessThanOrEqual(most);
    expectInTime(played);
  }
});

it('a vendor that recovers gives the whole text once', async () => {
  verifies('job.provider-error.transient');
  const faults = (Object.keys(ENDINGS) as FaultName[]).filter(
    (name) => ENDINGS[name] === 'tried again' || ENDINGS[name] === 'turned away',
  );
  for (const played of await playAll(faults, 1)) {
    const { job, id, prompt } = played;
    expect(job, id).toMatchObject({ status: 'completed', output: defaultText(prompt) });
    expect(jobs().vendors.calls({ id }), id).toHaveLength(2);
    expectInTime(played);
  }
});
