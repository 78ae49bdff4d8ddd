import { Dialog } from '../ui/dialog.tsx';
import { pageKeys } from '../ui/page-keys.ts';
import { SHORTCUTS, shownKey } from './shortcuts.ts';

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog wide open onOpenChange={onClose} title="Keyboard shortcuts">
      {/* Can be scrolled without a mouse where it is longer than the screen. */}
      <dl tabIndex={0} className="grid gap-x-8 sm:grid-cols-2">
        {[...pageKeys(), ...SHORTCUTS].map(({ keys, label }) => (
          <div
            key={label}
            className="flex items-center justify-between gap-4 border-b border-line py-2 text-sm"
          >
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
