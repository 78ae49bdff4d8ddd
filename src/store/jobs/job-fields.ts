// The columns of a job, once: what each is called in code and what it holds. Statements name the fields that they read,
// and get their columns and their type from here.
import type { Reasoning, ServiceTier } from '../../contract/fields.ts';
import type { StopReason } from '../../contract/job-api.ts';
import type { JobCode } from '../../contract/job-codes.ts';

export type JobKind = 'job' | 'call';
export type JobStatus = 'pending' | 'running' | 'completed' | 'failed';

/** A field is a column in camel case. */
export interface JobFields {
  id: string;
  userId: string;
  teamId: string;
  /** Null: a user who was signed in. */
  apiKeyId: string | null;
  /** `call`: a client's own request to a model, which passed through this server. */
  kind: JobKind;
  /** Null for calls that belong to no run. */
  runId: string | null;
  executionId: string | null;
  streamId: string;
  provider: string;
  model: string;
  simulated: boolean;
  maxTokens: number;
  temperature: number | null;
  reasoning: Reasoning | null;
  /** As requested. */
  serviceTier: ServiceTier | null;
  /** Whose price the answer has, of a job that requested one. */
  usedServiceTier: ServiceTier | null;
  /** JSON text, like the parts, output, artifact, partialOutput and error. */
  prompt: string;
  promptParts: string | null;
  /** JSON text: messages and tools, of a job that is a turn of a conversation. */
  conversation: string | null;
  /** Sealed, when a key came with the request. */
  sealedKey: string | null;
  status: JobStatus;
  parked: boolean;
  attempt: number;
  /** Model calls of earlier attempts that were put off. */
  calls: number;
  /** No further call once one has used tokens. */
  payOnce: boolean;
  timeoutMs: number;
  queuedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  output: string | null;
  artifact: string | null;
  /** JSON text, like opaqueAnswer; null unless a turn of a conversation was completed. */
  toolCalls: string | null;
  /** The answer as its provider wrote it; null where that says nothing more. */
  opaqueAnswer: string | null;
  /** Of a failed job, as far as its answer had come. */
  partialOutput: string | null;
  error: string | null;
  errorCode: JobCode | null;
  stopReason: StopReason | null;
  textGeneration: number;
  tokensInput: number;
  tokensOutput: number;
  tokensCached: number;
  /** Of the output: what went into thinking, where the vendor says so. */
  tokensReasoning: number;
  /** Of the calls whose price is known; null when none is. */
  costUsd: number | null;
  unpricedCalls: number;
  savedUsd: number | null;
  usageEstimated: boolean;
  /** Reserved of the team's budget; null when it has none. */
  reservedUsd: number | null;
  /** The trace it belongs to, as a W3C traceparent. */
  trace: string | null;
  /** Where the texts are that are not in the row (see archived-texts). */
  textsKey: string | null;
}

export type JobField = keyof JobFields;

/** Of the key that a job was submitted with; null when the key is gone. */
export const KEY_NAME = '(select k.name from api_keys k where k.id = api_key_id) as "apiKeyName"';

export const columnOf = (field: JobField): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns as they are, of the table `j` where it is named. */
export const columnsOf = (fields: readonly JobField[], table = ''): string =>
  fields.map((field) => `${table && `${table}.`}${columnOf(field)}`).join(', ');

/** The columns under the names of their fields. */
export const fieldsOf = (fields: readonly JobField[], table = ''): string =>
  fields.map((field) => `${table && `${table}.`}${columnOf(field)} as "${field}"`).join(', ');
