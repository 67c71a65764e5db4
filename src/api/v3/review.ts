import * as comments from '../../domain/survey/comments.ts'
import * as links from '../../domain/survey/preview-links.ts'
import * as reviews from '../../domain/survey/reviews.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'

const linkView = ({
  id,
  label,
  version,
  comments,
  createdAt,
  expiresAt,
}: links.PreviewLink): Schemas['PreviewLink'] => ({
  id,
  label,
  version,
  comments,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
})

export const listPreviewLinks: Operation<'listPreviewLinks'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, links: items } = await links.listPreviewLinks(context, path.survey_id, page)
  const uri = `${surveyUri(context.services, path.survey_id)}preview-links/`
  return pageReply(uri, search, page, total, items.map(linkView))
}

export const createPreviewLink: Operation<'createPreviewLink'> = async ({ context, path, body }) => {
  const { label, version, comments, expires_in_days: days } = body ?? {}
  const { url, ...link } = await links.createPreviewLink(context, path.survey_id, { label, version, comments, days })
  return { status: 201, body: { ...linkView(link), url } }
}

export const revokePreviewLink: Operation<'revokePreviewLink'> = async ({ context, path }) => {
  await links.revokePreviewLink(context, path.survey_id, path.preview_link_id)
  return { status: 200, body: 'OK' }
}

const threadView = (thread: comments.CommentThread): Schemas['CommentThread'] => ({
  id: thread.id,
  about: thread.about,
  question: thread.question,
  page: thread.page,
  title: thread.title,
  removed: thread.isRemoved,
  resolved_at: thread.resolvedAt?.toISOString() ?? null,
  resolved_by: thread.resolvedBy,
  comments: thread.comments.map(({ id, text, authorId, author, isReviewer, createdAt }) => ({
    id,
    text,
    user_id: authorId,
    author,
    reviewer: isReviewer,
    created_at: createdAt.toISOString(),
  })),
})

export const listComments: Operation<'listComments'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { state, question } = query
  const { total, threads } = await comments.listThreads(context, path.survey_id, { state, question }, page)
  const uri = `${surveyUri(context.services, path.survey_id)}comments/`
  return pageReply(uri, search, page, total, threads.map(threadView))
}

export const createComment: Operation<'createComment'> = async ({ context, path, body }) => {
  const { text, question, page } = body
  const subject: comments.CommentSubject =
    question !== undefined
      ? { about: 'question', question }
      : page !== undefined
        ? { about: 'page', page }
        : { about: 'survey' }
  return { status: 201, body: threadView(await comments.createComment(context, path.survey_id, subject, text)) }
}

export const replyToComment: Operation<'replyToComment'> = async ({ context, path, body }) => ({
  status: 201,
  body: threadView(await comments.replyToComment(context, path.survey_id, path.comment_id, body.text)),
})

export const updateComment: Operation<'updateComment'> = async ({ context, path, body }) => ({
  status: 200,
  body: threadView(await comments.resolveThread(context, path.survey_id, path.comment_id, body.resolved)),
})

export const deleteComment: Operation<'deleteComment'> = async ({ context, path }) => {
  await comments.deleteComment(context, path.survey_id, path.comment_id)
  return { status: 200, body: 'OK' }
}

const reviewView = (review: reviews.Review): Schemas['Review'] => ({
  required: review.isRequired,
  hash: review.hash,
  state: review.state,
  current: review.isCurrent,
  approved: review.isApproved,
  requester: review.requester,
  note: review.note,
  requested_at: review.requestedAt?.toISOString() ?? null,
  decider: review.decider,
  sentence: review.sentence,
  decided_at: review.decidedAt?.toISOString() ?? null,
  published_version: review.published.version,
  published_hash: review.published.approvedHash,
})

export const getReview: Operation<'getReview'> = async ({ context, path }) => ({
  status: 200,
  body: reviewView(await reviews.findReview(context, path.survey_id)),
})

export const requestReview: Operation<'requestReview'> = async ({ context, path, body }) => ({
  status: 201,
  body: reviewView(await reviews.requestReview(context, path.survey_id, body?.note)),
})

export const decideReview: Operation<'decideReview'> = async ({ context, path, body }) => ({
  status: 200,
  body: reviewView(await reviews.decideReview(context, path.survey_id, body)),
})
