// The tools that a model calls, each with its arguments.
import type { ToolCall } from '../../../src/client/index.ts';

/** As a person reads it: one line for each argument, and what the model wrote where it is no object. */
export function argumentsOf(call: ToolCall): string {
  if (call.arguments === null) return call.argumentsText ?? '';
  return JSON.stringify(call.arguments, null, 2);
}

export function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  return (
    <ul aria-label="Tool calls" className="flex flex-col gap-2">
      {calls.map((call, index) => (
        <li key={index} className="overflow-hidden rounded-lg border border-line">
          <div className="flex flex-wrap items-center gap-2 px-3 py-1.5 text-xs">
            <span className="text-faint">Calls</span>
            <span className="font-medium wrap-anywhere">{call.name || '(no name)'}</span>
            {call.arguments === null ? (
              <span className="text-bad">The arguments are not a JSON object</span>
            ) : null}
          </div>
          <pre
            tabIndex={0}
            aria-label={`Arguments of ${call.name}`}
            className="max-h-96 overflow-auto border-t border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {argumentsOf(call)}
          </pre>
        </li>
      ))}
    </ul>
  );
}
