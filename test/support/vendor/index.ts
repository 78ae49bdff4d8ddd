// A model vendor that does what a test says, over real HTTP on loopback. It plays Anthropic
// (Messages), OpenAI (Responses and chat completions), an OpenAI-compatible server (chat completions
// as vLLM streams them), Google (streamGenerateContent) and OpenRouter, from their documentation.
//
//   const vendors = await startVendorServer();
//   vendors.url('anthropic')    the base URL to configure
//   vendors.calls()             every request: headers, key, body, when it began, when the client left
//   vendors.setKeys(...)        which keys are good (at first: any)
//   vendors.setLimit(...)       how many calls a key may have open at a time
//   vendors.script(...)         a fault or an answer for calls that match, also those without a prompt
//   await vendors.close()
//
// `node main.ts` runs it as a process of its own, which connectVendorServer(url) steers over HTTP.
//
// A prompt decides about its own answer with sentinels anywhere in the user's text, so that any
// number of jobs can run at the same time:
//
//   [[vendor:reply chunks=20 pace=50 input=1340 cache-read=300 id=job-17]]
//   [[vendor:fault name=http-429 retry-after=2 times=1]]
//
// reply describes the answer; fault breaks it. A value with blanks is a JSON string in double quotes.
// Several replies add up. Several faults come one after the other: each strikes `times` calls of this
// prompt (without times: all), then the next one, then the answer is whole. Calls count by vendor and
// prompt, or by `id` where there is one. Without any sentinel the answer is eight words made from the
// prompt (defaultText). One piece of text is one token: more of them than the request allows end the
// answer with `length`. A sentinel that makes no sense is answered with 418 and what is wrong.
//
// Options, explained in options.ts:
//   text chunks thinking pace headers-delay first-delay ping input output cache-read cache-write
//   cache-write-hour cost usage stop unknown after error retry-after limit size status to message echo-key times
//   tier only-tier on id
//
// Faults, explained in faults.ts:
//   before the stream   http-400 http-401 http-402-billing billing-in-disguise http-403
//                       http-403-moderation http-404 http-408 http-413 context-length http-429
//                       http-429-ms http-429-date http-429-plain http-429-body http-500 http-502-html
//                       http-503 http-504 http-529 tier-unavailable redirect concurrency
//   of the connection   hang-before-headers hang-before-first-chunk hang-mid-stream
//                       reset-before-headers reset-after-headers reset-mid-stream cut-mid-stream
//   of the stream       early-end half-json bad-json bad-shape garbage unknown-events html-200 empty-200
//                       error-200 huge-line slow-drip error-event gzip
//   of the answer       usage-missing usage-wrong length refusal content-filter prompt-blocked
export { defaultText } from './answer.ts';
export type { CallFilter, VendorCall } from './call-log.ts';
export type { Fault, FaultName } from './faults.ts';
export { FAULTS } from './faults.ts';
export type { Limit, Load } from './gate.ts';
export type { AcceptedKey } from './keys.ts';
export type { Options } from './options.ts';
export { OPTIONS } from './options.ts';
export type { RemoteVendorServer } from './remote.ts';
export { connectVendorServer } from './remote.ts';
export type { Rule } from './rules.ts';
export type { VendorControls, VendorServer } from './server.ts';
export { startVendorServer } from './server.ts';
export type { Vendor } from './vendors.ts';
export { VENDORS } from './vendors.ts';
