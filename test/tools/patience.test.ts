import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { abortMeans } from '../../src/tools/abort.ts';
import { softDeadlineOf } from '../../src/tools/soft-deadline.ts';

it.each([
  ['SdkError: Request timed out', 'detach'],
  ['McpError: MCP error -32001: Request timed out', 'detach'],
  ['deadline exceeded', 'detach'],
  [new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'), 'detach'],
  ['user pressed Esc', 'cancel'],
  ['', 'cancel'],
  [undefined, 'cancel'],
])('a call that ends with %j: %s', (reason, meaning) => {
  expect(abortMeans(reason, undefined)).toBe(meaning);
});

it('the setting decides, but for a client that is gone', () => {
  expect(abortMeans('Request timed out', 'cancel')).toBe('cancel');
  expect(abortMeans('user pressed Esc', 'detach')).toBe('detach');
  const gone = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
  expect(abortMeans(gone, 'cancel')).toBe('detach');
});

it.each([
  ['claude-code', true, undefined, 240_000],
  ['claude-code', false, undefined, 45_000],
  ['gemini-cli-mcp-client', false, undefined, 280_000],
  ['unknown', true, undefined, 45_000],
  [undefined, true, undefined, 45_000],
  ['toString', true, undefined, 45_000],
  ['claude-code', true, 500, 500],
])('%s waits (progress: %s, setting: %s) for %d ms', (client, hasProgress, setMs, expected) => {
  expect(softDeadlineOf(client, { hasProgress, setMs })).toBe(expected);
});
