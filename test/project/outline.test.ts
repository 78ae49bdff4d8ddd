import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../src/project/outline/outline.ts';
import { effort } from '../support/effort.ts';

const SIGNS =
  `""" ''' " ' \` { } ( ) [ \\ /* */ // # r#" func_a def_a class_A fn_a impl_A ; : @ \ud800`
    .split(' ')
    .concat(' ', '\n')
    .map((sign) => sign.replace('_', ' '));

const outline = (path: string, text: string) => outlineOf(path, text);

describe('the outline of a file', () => {
  it('of CommonJS has what it declares and exports', () => {
    const text = `'use strict';
const fs = require('node:fs');
const { join } = require('node:path');
const LIMIT = 10;
function load(path) {
  return fs.readFileSync(join(path));
}
class Mill extends Base {
  turn() {}
}
load('x');
exports.load = load;
module.exports = { load, Mill };
`;
    expect(outline('mill.cjs', text)).toBe(`const LIMIT = 10;
function load(path) { ...
class Mill extends Base { ...
exports.load = load;
module.exports = { load, Mill };
`);
  });

  it('of Python has classes with their methods, functions and constants', () => {
    const text = `"""Mills.

def not_this(): pass
"""
import os
LIMIT: int = 10
NAMES = [
    'def nor_this():',
]

@dataclass(
    frozen=True,
)
class Mill(Base):
    """A mill."""
    wheels: int = 2

    @property
    async def turn(self, speed: float = 1.0,
                   way: str = ") -> x:") -> None:  # def
        def inner():
            pass
        if speed:
            total = 1
        return None

    class Wheel:
        def spin(self): return 1

def last(a, /, *, b=None) -> 'Mill':
    x = '''
def hidden():
'''
    return x
`;
    expect(outline('mill.py', text)).toBe(`LIMIT: int = 10
NAMES = [
    'def nor_this():',
]
@dataclass(
    frozen=True,
)
class Mill(Base): ...
    wheels: int = 2
    @property
    async def turn(self, speed: float = 1.0,
                   way: str = ") -> x:") -> None:  # def ...
    class Wheel: ...
        def spin(self): return 1 ...
def last(a, /, *, b=None) -> 'Mill': ...
`);
  });

  it('of Go has its functions, types and values', () => {
    const text = `// Package mill. func no() {}
package mill

import (
	"fmt"
)

const Limit = 10

var (
	a = "}"
	b = \`{ func no() {\`
)

// Mill turns.
type Mill struct {
	Wheels int // }
}

type Turner interface {
	Turn(speed float64) (int, error)
}

func New(
	wheels int,
) (*Mill, error) {
	f := func() { fmt.Println('{') }
	f()
	return nil, nil
}

func (m *Mill) Any(x interface{}) interface{} {
	return map[string]struct{}{}
}
`;
    expect(outline('mill.go', text)).toBe(`package mill
const Limit = 10
var (
	a = "}"
	b = \`{ func no() {\`
)
type Mill struct {
	Wheels int // }
}
type Turner interface {
	Turn(speed float64) (int, error)
}
func New(
	wheels int,
) (*Mill, error) { ... }
func (m *Mill) Any(x interface{}) interface{} { ... }
`);
  });

  it('of Rust has its items, and the functions of what it implements', () => {
    const text = `//! fn no() {}
use std::fmt;
/* outer /* inner */ fn no() {} */
#[derive(Debug, Clone)]
pub struct Mill<'a> {
    name: &'a str,
}
pub const OPEN: char = '{';
const RAW: &str = r#"fn no() { " }"#;
impl<'a> Mill<'a> {
    pub fn new(name: &'a str) -> Self {
        Self { name }
    }
    #[inline]
    fn turn(&self) -> u8 { b'}' }
}
pub(crate) trait Turner {
    fn speed(&self) -> f64;
}
macro_rules! twice { ($x:expr) => { $x; $x } }
#[cfg(test)]
mod tests {
    fn check() {}
}
`;
    expect(outline('mill.rs', text)).toBe(`#[derive(Debug, Clone)]
pub struct Mill<'a> {
    name: &'a str,
}
pub const OPEN: char = '{';
const RAW: &str = r#"fn no() { " }"#;
impl<'a> Mill<'a> {
  pub fn new(name: &'a str) -> Self { ... }
  #[inline]
    fn turn(&self) -> u8 { ... }
}
pub(crate) trait Turner {
  fn speed(&self) -> f64;
}
macro_rules! twice { ... }
#[cfg(test)]
mod tests {
  fn check() { ... }
}
`);
  });

  it('of Java has its types and what others may use of them', () => {
    const text = `package com.example.mill;

import java.util.List;

/** class No {} */
@Entity(name = "mill {")
public class Mill extends Base implements Turner {
    private static final String TEXT = """
        } class No {
        """;
    public static final int LIMIT = 10;
    private int wheels;

    public Mill(int wheels) { this.wheels = wheels; }

    @Override
    public <T> List<T> turn(Class<T> way) throws Exception {
        if (way == null) { return List.of(); }
        char c = '}';
        return null;
    }

    private void hidden() { }

    enum Speed { SLOW, FAST }

    interface Listener { void turned(int times); }
}
`;
    expect(outline('Mill.java', text)).toBe(`package com.example.mill;
@Entity(name = "mill {")
public class Mill extends Base implements Turner {
  public static final int LIMIT = 10;
  public Mill(int wheels) { ... }
  @Override
    public <T> List<T> turn(Class<T> way) throws Exception { ... }
  enum Speed { SLOW, FAST }
  interface Listener {
    void turned(int times);
  }
}
`);
  });

  it('is none where nothing is declared or the language is not known', () => {
    expect(outline('a.py', 'print(1)\n')).toBeUndefined();
    expect(outline('a.go', '')).toBeUndefined();
    expect(outline('a.txt', 'def a(): pass')).toBeUndefined();
  });

  it('is made of any text, in time that grows with its length', () => {
    const piece = fc.constantFrom(...SIGNS);
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    const ending = fc.constantFrom('py', 'go', 'rs', 'java', 'js');
    fc.assert(
      fc.property(ending, text, (end, source) => {
        expect(() => outline(`a.${end}`, source)).not.toThrow();
      }),
      { numRuns: effort(100) },
    );
    for (const end of ['py', 'go', 'rs', 'java']) {
      for (const each of [
        '{',
        '(',
        '/*',
        '"',
        '#[',
        'impl A {',
        'class A {',
        'def a(',
        '@a\n',
        'func interface{}',
      ]) {
        expect(() => outline(`a.${end}`, each.repeat(20_000))).not.toThrow();
      }
    }
  });
});
