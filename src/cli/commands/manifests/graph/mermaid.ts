// The graph of a plan for Mermaid. Nodes are numbered, so that an id may be anything; labels are
// quoted, with what Mermaid would read as markup written as character codes.
import type { PlanDocument } from '../plan-document.ts';
import { plain } from '../../../terminal/plain-text.ts';

function quote(text: string): string {
  const safe = plain(text).replace(/[^\p{L}\p{N} .,:/_()*+=?!@$%^{}[\]~-]/gu, (char) => {
    return `#${char.codePointAt(0)};`;
  });
  return `"${safe}"`;
}

export function drawMermaid(plan: PlanDocument): string {
  const numbers = new Map([...plan.streams.keys()].map((id, at) => [id, `s${at}`]));
  const lines = ['flowchart LR'];
  plan.waves.forEach((ids, at) => {
    lines.push(`  subgraph wave${at + 1}["Wave ${at + 1}"]`);
    for (const id of ids) lines.push(`    ${numbers.get(id)}[${quote(id)}]`);
    lines.push('  end');
  });
  for (const [id, { waitsFor }] of plan.streams) {
    for (const wait of waitsFor) {
      const arrow = wait.reason === 'dep' ? '-->' : '-. owns .->';
      lines.push(`  ${numbers.get(wait.id)} ${arrow} ${numbers.get(id)}`);
    }
  }
  const skipped = [...plan.streams].filter(([, { action }]) => action === 'skip');
  if (skipped.length > 0) {
    lines.push('  classDef skipped stroke-dasharray: 4');
    lines.push(`  class ${skipped.map(([id]) => numbers.get(id)).join(',')} skipped`);
  }
  return lines.join('\n');
}
