import { useMutation } from '@tanstack/react-query';
import { Square } from '../../ui/icons.tsx';
import { api } from '../../api/client.ts';
import { queryClient } from '../../session/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';

/** One call is cheap to repeat: it stops without a question. */
export function CancelJob({ jobId }: { jobId: string }) {
  const cancel = useMutation({
    mutationFn: () => api.cancelJob(jobId),
    onSuccess({ cancelled }) {
      toast(cancelled ? 'The job is cancelled.' : 'The job had already ended.');
      void queryClient.invalidateQueries({ queryKey: ['job', jobId] });
    },
  });
  return (
    <Button look="danger" icon={<Square />} busy={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel
    </Button>
  );
}
