// The text of a manifest, with its problems where they are.
import {
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
  redo,
  redoDepth,
  standardKeymap,
  undo,
  undoDepth,
} from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { setDiagnostics, lintGutter } from '@codemirror/lint';
import type { Diagnostic } from '@codemirror/lint';
import { indentUnit } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Problem } from '../../../src/manifest/problem.ts';
import { manifestLook } from './highlight.ts';

/** To the end of the line: a problem names where it begins. */
function diagnosticOf(state: EditorState, problem: Problem): Diagnostic {
  const line = state.doc.line(Math.min(Math.max(1, problem.line), state.doc.lines));
  const from = Math.min(line.from + Math.max(0, problem.column - 1), line.to);
  const { severity, message, hint } = problem;
  return { from, to: Math.max(from, line.to), severity, message: `${message} ${hint}`.trim() };
}

export interface EditorHandle {
  goTo(line: number, column: number): void;
  undo(): void;
  redo(): void;
}

/** What can be undone and redone: typing, and texts that came from outside. */
export interface EditorHistory {
  canUndo: boolean;
  canRedo: boolean;
}

/** The part in which two texts differ, so that the cursor and what is folded stay where they are. */
function changeBetween(before: string, after: string) {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

export function Editor({
  text,
  problems,
  onChange,
  onHistory,
  onReady,
}: {
  text: string;
  problems: readonly Problem[];
  onChange: (text: string) => void;
  onHistory?: (history: EditorHistory) => void;
  onReady: (editor: EditorHandle) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;

  useEffect(() => {
    const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
    const editor = new EditorView({
      parent: box.current!,
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce ?? ''),
        EditorView.contentAttributes.of({
          'aria-label': 'Manifest',
          spellcheck: 'false',
          tabindex: '0',
        }),
        lineNumbers(),
        highlightActiveLine(),
        drawSelection(),
        history(),
        indentUnit.of('  '),
        keymap.of([...standardKeymap, ...historyKeymap, indentWithTab]),
        yaml(),
        lintGutter(),
        manifestLook,
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          changed.current(update.state.doc.toString());
          const { state } = update;
          onHistory?.({ canUndo: undoDepth(state) > 0, canRedo: redoDepth(state) > 0 });
        }),
      ],
    });
    view.current = editor;
    onReady({
      goTo(line, column) {
        const at = editor.state.doc.line(Math.min(line, editor.state.doc.lines));
        const anchor = Math.min(at.to, at.from + column - 1);
        editor.dispatch({ selection: { anchor }, scrollIntoView: true });
        editor.focus();
      },
      undo: () => void undo(editor),
      redo: () => void redo(editor),
    });
    return () => editor.destroy();
    // The editor has its own state; what comes from outside is put in below.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => {
    const editor = view.current!;
    const before = editor.state.doc.toString();
    if (before === text) return;
    const changes = changeBetween(before, text);
    // Each is a step of its own, however quickly the next one follows.
    editor.dispatch({ changes, annotations: isolateHistory.of('full') });
  }, [text]);

  useEffect(() => {
    const { state } = view.current!;
    view.current!.dispatch(
      setDiagnostics(
        state,
        problems.map((problem) => diagnosticOf(state, problem)),
      ),
    );
  }, [problems]);

  return <div ref={box} className="h-[min(70vh,44rem)] min-h-80 overflow-hidden" />;
}
