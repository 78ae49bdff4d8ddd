import { Dialog } from '../ui/dialog.tsx';
import { pageKeys } from '../ui/page-keys.ts';
import { SHORTCUTS, shownKey } from './shortcuts.ts';

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts">
      <dl className="divide-y divide-line">
        {[...pageKeys(), ...SHORTCUTS].map(({ keys, label }) => (
          <div key={label} className="flex items-center justify-between gap-4 py-2 text-sm">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-line-strong bg-sunken px-1.5 text-center text-xs leading-5"
                >
                  {shownKey(key)}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
