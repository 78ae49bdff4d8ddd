import assert from 'node:assert/strict';
import { test } from 'node:test';
import { search } from '../src/search.ts';

const books = [
  { title: 'Emma', author: 'Austen' },
  { title: 'Zorba', author: 'Kazantzakis' },
];

test('finds by title', () => {
  assert.deepEqual(search(books, 'Emma'), [books[0]]);
});

test('finds by author, in any case', () => {
  assert.deepEqual(search(books, 'kazan'), [books[1]]);
});
