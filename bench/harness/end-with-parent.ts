/** For a child that has nothing to finish: ends when it is asked to, or left alone. */
export function endWithParent(): void {
  process.on('message', (message: { ask?: string }) => {
    if (message.ask === 'stop') process.exit(0);
  });
  process.on('disconnect', () => process.exit(0));
}
