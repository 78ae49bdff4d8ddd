// /v1/approvals/:id/review: changes that are looked through hunk by hunk.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  ChangeReviewDraftRequest,
  Review,
  ReviewDraft,
  ReviewFileQuery,
  ReviewFiles,
  ReviewOutcome,
  SendReviewFilesRequest,
  SentReviewFiles,
  TakenReview,
} from '../../contract/review-api.ts';
import type { ReviewService } from '../../services/reviews/reviews.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';

const tags = ['Approvals'];
const params = z.object({ id: z.string().meta({ description: 'The approval id' }) });
const READ_ERRORS = errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND');
const WRITE_ERRORS = errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT');

export function reviewRoutes({
  reviews,
}: {
  reviews: ReviewService;
}): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/approvals/:id/review',
      schema: {
        tags,
        operationId: 'getReview',
        summary: 'Get a review',
        description: 'With a list of its files and what you have said so far.',
        params,
        response: { 200: json('The review', Review), ...READ_ERRORS },
      },
      handler: (request) => reviews.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'GET',
      url: '/v1/approvals/:id/review/files',
      schema: {
        tags,
        operationId: 'listReviewFiles',
        summary: 'Get files of a review',
        description: 'With their texts before and after.',
        params,
        querystring: ReviewFileQuery,
        response: { 200: json('Some of the files', ReviewFiles), ...READ_ERRORS },
      },
      handler: (request) => reviews.files(identityOf(request), request.params.id, request.query),
    });

    app.route({
      method: 'PUT',
      url: '/v1/approvals/:id/review/files',
      schema: {
        tags,
        operationId: 'sendReviewFiles',
        summary: 'Send files of a review',
        description: 'For the command that asked. The review opens when all have come.',
        params,
        body: SendReviewFilesRequest,
        response: { 200: json('How many there are', SentReviewFiles), ...WRITE_ERRORS },
      },
      handler: (request) => reviews.sendFiles(identityOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/approvals/:id/review/draft',
      schema: {
        tags,
        operationId: 'changeReviewDraft',
        summary: 'Change your draft of a review',
        description:
          'Decisions, comments and what you have viewed, until you submit them by resolving the approval.',
        params,
        body: ChangeReviewDraftRequest,
        response: { 200: json('All that you have said so far', ReviewDraft), ...WRITE_ERRORS },
      },
      handler: (request) =>
        reviews.changeDraft(identityOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'POST',
      url: '/v1/approvals/:id/review/take',
      schema: {
        tags,
        operationId: 'takeReview',
        summary: 'Take a submitted review',
        description: 'For the command that carries it out. Taken again, it is the same.',
        params,
        response: { 200: json('What was submitted, if it was', TakenReview), ...WRITE_ERRORS },
      },
      handler: async (request) => ({
        submission: await reviews.take(identityOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'PUT',
      url: '/v1/approvals/:id/review/outcome',
      schema: {
        tags,
        operationId: 'endReview',
        summary: 'Say what became of a review',
        description: 'For the command that carries it out.',
        params,
        body: ReviewOutcome,
        response: { 200: json('As it was sent', ReviewOutcome), ...WRITE_ERRORS },
      },
      handler: async (request) => {
        await reviews.end(identityOf(request), request.params.id, request.body);
        return request.body;
      },
    });
  };
}
