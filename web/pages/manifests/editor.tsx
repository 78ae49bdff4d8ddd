// The text of a manifest, with its problems where they are.
import { history, historyKeymap, indentWithTab, standardKeymap } from '@codemirror/commands';
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
}

export function Editor({
  text,
  problems,
  onChange,
  onReady,
}: {
  text: string;
  problems: readonly Problem[];
  onChange: (text: string) => void;
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
        EditorView.contentAttributes.of({ 'aria-label': 'Manifest', spellcheck: 'false' }),
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
          if (update.docChanged) changed.current(update.state.doc.toString());
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
    });
    return () => editor.destroy();
    // The editor has its own state; what comes from outside is put in below.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => {
    const editor = view.current!;
    if (editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
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
