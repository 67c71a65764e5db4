import type { Slice } from '../../lib/paging.ts'
import { newSecret } from '../../lib/webhook-signature.ts'
import { findCollector } from '../collector/queries.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { summariseSurvey } from '../survey/queries.ts'
import type { Tables } from '../tables.ts'
import type { BodyFormat } from '../webhook-form.ts'
import { type EventType, eventTypes, sealSecret, Webhook } from './webhook.ts'

/** How long messages are signed with the previous secret as well. */
const SECRET_OVERLAP_MS = 24 * 3_600_000

interface NewWebhook {
  subscriptionUrl: string
  event: string
  /**
   * Limits the events to this survey. Only the events `response_complete` and `report_create` can be limited to a
   * survey.
   */
  survey?: number | undefined
  /** Limits the events to this collector. Only the event `response_complete` can be limited to a collector. */
  collector?: number | undefined
  /** The format of the request bodies; a form unless another is chosen. */
  format?: BodyFormat | undefined
}

/**
 * Subscribes a URL to an event. The secret is returned only once.
 * @throws {Problem} `too_many_requests`, `invalid_request`, `survey_not_found`, `collector_not_found` (also for a
 *   collector of another survey); `webhook_exists` (from a database constraint) if the account has a webhook with this
 *   URL
 */
export async function subscribe(context: Context, draft: NewWebhook): Promise<{ webhook: Webhook; secret: string }> {
  const { em, actor, now, services } = context
  const event = checkEvent(draft)
  const urlError = services.safeHttp.urlError(draft.subscriptionUrl)
  if (urlError) throw problems.invalidField('subscription_url', 'url_not_allowed', {}, urlError)
  if (draft.survey !== undefined) await summariseSurvey(context, draft.survey, 'Owner')
  const collector = draft.collector === undefined ? null : await findCollector(context, draft.collector, 'Owner')
  if (collector && draft.survey !== undefined && collector.survey.id !== draft.survey)
    throw problems.collectorNotFound()
  await assertBelowLimit(context)
  const secret = newSecret()
  const webhook = em.create(Webhook, {
    account: actor.id,
    event,
    survey: draft.survey ?? collector?.survey.id ?? null,
    collector,
    subscriptionUrl: draft.subscriptionUrl,
    format: draft.format ?? 'form',
    secret: sealSecret(services, secret),
    createdAt: now,
  })
  await em.flush()
  return { webhook, secret }
}

/**
 * Checks the number of webhooks of the actor (`WEBHOOKS_PER_ACCOUNT`).
 * @throws {Problem} `too_many_requests`
 */
async function assertBelowLimit({ em, actor, services }: Context): Promise<void> {
  const limit = services.limits.settings.webhooksPerAccount
  if (!limit) return
  const db = em.getKysely<Tables>()
  // The lock makes a concurrent request wait. When that request continues, it counts this webhook too.
  await db.selectFrom('account').select('id').where('id', '=', actor.id).forNoKeyUpdate().execute()
  const { count } = await db
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', actor.id)
    .executeTakeFirstOrThrow()
  if (count >= limit)
    throw problems.tooManyRequests(`An account can have at most ${limit} webhooks. Delete one first.`, 60)
}

/** Checks that an event can be limited to a survey or a collector (docs/specification.md 11.3). */
function checkEvent({ event, survey, collector }: NewWebhook): EventType {
  const eventType = eventTypes.find((type) => type === event)
  if (!eventType) throw problems.invalidField('event', 'invalid_value', {}, `must be one of ${eventTypes.join(', ')}`)
  if (survey !== undefined && eventType !== 'response_complete' && eventType !== 'report_create')
    throw problems.invalidField('survey', 'mutually_exclusive', { other: eventType })
  if (collector !== undefined && eventType !== 'response_complete')
    throw problems.invalidField('collector', 'mutually_exclusive', { other: eventType })
  return eventType
}

/**
 * Deletes the webhook of a URL.
 * @throws {Problem} `webhook_not_found`
 */
export async function unsubscribe(context: Context, subscriptionUrl: string): Promise<void> {
  const webhook = await context.em.findOne(Webhook, { account: context.actor.id, subscriptionUrl })
  if (!webhook) throw problems.webhookNotFound()
  await remove(context, webhook.id)
}

/**
 * Deletes a webhook with its delivery log. Pending messages are not delivered.
 * @throws {Problem} `webhook_not_found`
 */
export async function deleteWebhook(context: Context, id: number): Promise<void> {
  await findWebhook(context, id)
  await remove(context, id)
}

/** Deletes a webhook of any account with its delivery log. */
export async function remove({ em }: Pick<Context, 'em'>, id: number): Promise<void> {
  const db = em.getKysely<Tables>()
  await db.deleteFrom('webhook').where('id', '=', id).execute()
  await db.deleteFrom('webhook_delivery').where('webhook_id', '=', id).execute()
}

/**
 * Replaces the secret of a webhook. The new secret is returned only once. For a day, messages are signed with the
 * previous secret as well.
 * @throws {Problem} `webhook_not_found`
 */
export async function rotateSecret(context: Context, id: number): Promise<{ webhook: Webhook; secret: string }> {
  const { em, now, services } = context
  const webhook = await findWebhook(context, id)
  await em.populate(webhook, ['secret'])
  const secret = newSecret()
  webhook.previousSecret = webhook.secret
  webhook.previousUntil = new Date(now.getTime() + SECRET_OVERLAP_MS)
  webhook.secret = sealSecret(services, secret)
  await em.flush()
  return { webhook, secret }
}

/**
 * Returns the actor's webhooks, oldest first, and their total number.
 * @param survey limits the list to webhooks of this survey
 */
export async function listWebhooks(
  context: Context,
  slice?: Slice,
  survey?: number,
): Promise<{ total: number; webhooks: Webhook[] }> {
  const filter = { account: context.actor.id, ...(survey !== undefined && { survey }) }
  const [webhooks, total] = await context.em.findAndCount(Webhook, filter, {
    orderBy: { id: 'asc' },
    // Not all members of the slice are passed, because the entity manager gives the member `first` another meaning.
    ...(slice && { offset: slice.offset, limit: slice.limit }),
  })
  return { total, webhooks }
}

/**
 * Returns one of the actor's webhooks.
 * @throws {Problem} `webhook_not_found`
 */
export const findWebhook = ({ em, actor }: Context, id: number): Promise<Webhook> =>
  em.findOneOrFail(Webhook, { id, account: actor.id }, { failHandler: problems.webhookNotFound })

/** Loads the survey and collector of webhooks. */
export async function withScope<Found extends Webhook | Webhook[]>({ em }: Context, webhooks: Found): Promise<Found> {
  await em.populate(webhooks as Webhook[], ['survey', 'collector'])
  return webhooks
}
