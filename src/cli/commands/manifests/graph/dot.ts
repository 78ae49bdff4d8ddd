// The graph of a plan for Graphviz.
import type { PlanDocument } from '../plan-document.ts';
import { plain } from '../../../terminal/plain-text.ts';

function quote(text: string): string {
  return `"${plain(text).replace(/["\\]/g, '\\$&')}"`;
}

export function drawDot(plan: PlanDocument): string {
  // Numbered, because two ids may look the same once they are made safe to show.
  const numbers = new Map([...plan.streams.keys()].map((id, at) => [id, `s${at}`]));
  const lines = [
    `digraph ${quote(plan.manifest)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style=rounded];',
  ];
  plan.waves.forEach((ids) => {
    lines.push('  { rank=same;');
    for (const id of ids) {
      const style = plan.streams.get(id)!.action === 'skip' ? ', style="rounded,dashed"' : '';
      lines.push(`    ${numbers.get(id)} [label=${quote(id)}${style}];`);
    }
    lines.push('  }');
  });
  for (const [id, { waitsFor }] of plan.streams) {
    for (const wait of waitsFor) {
      const style = wait.reason === 'dep' ? '' : ' [style=dashed, label="owns"]';
      lines.push(`  ${numbers.get(wait.id)} -> ${numbers.get(id)}${style};`);
    }
  }
  return [...lines, '}'].join('\n');
}
