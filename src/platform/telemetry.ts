// What the service sends to a collector of traces: which request led to which job, model call and webhook. Contexts are
// W3C `traceparent` texts, because they travel in rows and headers from process to process. Without a collector
// nothing of it is loaded, and no context is made.

export type SpanAttributes = Record<string, string | number | boolean | string[] | undefined>;

export interface SpanStart {
  kind: 'server' | 'client' | 'consumer';
  /** The context that this belongs to; without one it begins a trace. */
  parent: string | null | undefined;
  attributes?: SpanAttributes;
}

export interface Span {
  /** What belongs to this names it as its parent; undefined when nobody collects. */
  readonly context: string | undefined;
  set(attributes: SpanAttributes): void;
  /** `errorType`: it failed, and this is how, in a word that does not vary. */
  end(errorType?: string): void;
}

export interface ModelCallFigures {
  provider: string;
  model: string;
  seconds: number;
  inputTokens: number;
  outputTokens: number;
  errorType: string | undefined;
}

export interface Telemetry {
  /** Whether there is a collector. */
  readonly collects: boolean;
  start(name: string, start: SpanStart): Span;
  modelCalled(figures: ModelCallFigures): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

const NO_SPAN: Span = { context: undefined, set() {}, end() {} };

export const NO_TELEMETRY: Telemetry = {
  collects: false,
  start: () => NO_SPAN,
  modelCalled() {},
  close: () => Promise.resolve(),
};
