// Asked for as soon as it is known that there is a review: together with the script of its page, which takes as long.
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const reviewQuery = (approvalId: string) =>
  queryOptions({
    queryKey: ['approval', approvalId, 'review'],
    queryFn: ({ signal }) => api.reviews.get(approvalId, { signal }),
  });
