// Turns notifications of the browser on and off.
import { Bell } from '../../ui/frame-icons.tsx';
import { turnOff, turnOn, useDesktopNotices } from '../../live/desktop-notices.ts';
import { Button } from '../../ui/button.tsx';

export function NoticeSwitch() {
  const notices = useDesktopNotices();
  switch (notices) {
    case 'unavailable':
      return null;
    case 'blocked':
      return (
        <p className="max-w-72 text-xs text-soft">
          Your browser blocks notifications of this site. Allow them in its settings for this site,
          then turn them on here.
        </p>
      );
    case 'off':
      return (
        <Button icon={<Bell />} onClick={() => void turnOn()}>
          Notify me in this browser
        </Button>
      );
    case 'on':
      return <Button onClick={turnOff}>Stop notifying me</Button>;
  }
}
