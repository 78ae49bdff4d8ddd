import { describe, expect, it } from 'vitest';
import { contextTokensOf, contextWindowOf } from '../../src/domain/model/context-window.ts';

describe('the window of a model', () => {
  it.each([
    ['claude-sonnet-4-5', 200_000],
    ['anthropic:claude-opus-4-8', 1_000_000],
    ['claude-tomorrow-7', 200_000],
    ['anthropic/claude-3.5-sonnet', 200_000],
    ['gpt-5', 400_000],
    ['openai/gpt-4o-mini', 128_000],
    ['gpt-4', 8192],
    ['gpt-4-0613', 8192],
    ['gpt-4-turbo', 128_000],
    ['gpt-4.1-mini', 1_047_576],
    ['o1-mini', 128_000],
    ['o4-mini', 200_000],
    ['gemini-2.5-pro', 1_048_576],
    ['gemini-9-new', 1_000_000],
    ['sim-standard', 200_000],
    ['openai:llama3.1:8b', 128_000],
    ['', 128_000],
  ])('of %s is %i tokens', (model, window) => {
    expect(contextWindowOf(model)).toBe(window);
  });
});

describe('what a stream is shown', () => {
  it('follows the window, leaves room for the answer and ends where it stops to help', () => {
    expect(contextTokensOf('claude-sonnet-4-5', 8192)).toBe(66_666);
    expect(contextTokensOf('claude-sonnet-4-5', 180_000)).toBe(12_000);
    expect(contextTokensOf('gemini-2.5-pro', 8192)).toBe(100_000);
    expect(contextTokensOf('gpt-4', 8192)).toBe(1000);
  });
});
