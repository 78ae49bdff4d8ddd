/** Above a form: what it began with is no longer what is there. */
export function ChangedMeanwhile({ isChanged }: { isChanged: boolean }) {
  if (!isChanged) return null;
  return (
    <p className="mb-4 rounded-lg bg-warn-soft px-4 py-2.5 text-sm text-warn">
      It was changed elsewhere since you opened this form. Saving sends only what you change here;
      reload the page to begin with what is there now.
    </p>
  );
}
