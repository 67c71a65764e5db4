import { sql } from 'kysely'
import { currentTraceparent } from '../lib/tracing.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'
import { reportUrl, type SurveyLocation, surveyUrl } from './survey-address.ts'
import type { Tables } from './tables.ts'
import type { EventType } from './webhook/webhook.ts'
import { encodeBody, type WebhookForm } from './webhook-form.ts'

/**
 * The webhook events that commands enqueue. The event of a completed response is inserted by the functions that store
 * responses (response/submit/batch.ts, response/submit/completion-event.ts).
 */
export type DomainEvent =
  | { type: 'survey_create'; survey: SurveyLocation & { name: string } }
  | { type: 'report_create'; survey: SurveyLocation & { id: number; ownerId: number }; reportId: number }
  | { type: 'contact_create'; name: string; email: string }

/**
 * Enqueues an event in the caller's transaction: one delivery for each webhook of the actor that subscribes to the
 * event. For a report, the webhooks of the survey's owner get the event instead. Workers send the event after the
 * commit. The request body is stored now, so that later changes do not affect it.
 */
export const enqueueWebhookEvent = (context: Context, event: DomainEvent): Promise<void> =>
  enqueueWebhookEvents(context, [event])

/** Enqueues several events of the same type and account with at most two statements. */
export async function enqueueWebhookEvents(context: Context, events: readonly DomainEvent[]): Promise<void> {
  const [first] = events
  if (!first) return
  const db = context.em.getKysely<Tables>()
  const accountId = first.type === 'report_create' ? first.survey.ownerId : context.actor.id
  const webhooks = await db
    .selectFrom('webhook')
    .select(['id', 'survey_id', 'format'])
    .where('account_id', '=', accountId)
    .where('event', '=', first.type)
    .where('disabled_at', 'is', null)
    .execute()
  const deliveries = events.flatMap((event) =>
    webhooks
      .filter(
        ({ survey_id }) => survey_id === null || (event.type === 'report_create' && event.survey.id === survey_id),
      )
      .map(({ id, format }) => ({ webhook: id, body: encodeBody(format, eventFields(context, event)) })),
  )
  if (deliveries.length) await insertDeliveries(context, first.type, deliveries)
}

/**
 * Inserts deliveries into the outbox. They are due immediately.
 * @returns their ids
 */
export async function insertDeliveries(
  { em, now }: Pick<Context, 'em' | 'now'>,
  event: EventType,
  deliveries: readonly { webhook: number; body: string }[],
): Promise<number[]> {
  const rows = await em
    .getKysely<Tables>()
    .insertInto('webhook_delivery')
    .columns(['webhook_id', 'event', 'body', 'next_attempt_at', 'created_at', 'traceparent'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ webhook: number; body: string }>`unnest(${deliveries.map(({ webhook }) => webhook)}::bigint[],
            ${deliveries.map(({ body }) => body)}::text[])`.as<'deliveries'>(sql`deliveries (webhook, body)`),
        )
        .select((deliveries) => [
          'webhook',
          deliveries.val(event).as('event'),
          'body',
          sql<Date>`${now}::timestamptz`.as('next_attempt_at'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql<string | null>`${currentTraceparent() ?? null}::text`.as('traceparent'),
        ]),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the form fields of an event in the order of docs/specification.md 11.3. */
export function eventFields(
  { actor, services }: { actor: Context['actor']; services: Pick<Services, 'baseUrl'> },
  event: DomainEvent,
): WebhookForm {
  const creator = actor.name || actor.username
  switch (event.type) {
    case 'survey_create':
      return [
        ['survey_creator_name', creator],
        ['survey_name', event.survey.name],
        ['survey_creator_email', actor.email],
        ['survey_url', surveyUrl(services.baseUrl, event.survey)],
      ]
    case 'report_create':
      return [
        ['report_url', reportUrl(services.baseUrl, event.survey.id, event.reportId)],
        ['report_creator_name', creator],
        ['report_creator_email', actor.email],
        ['survey_url', surveyUrl(services.baseUrl, event.survey)],
      ]
    case 'contact_create':
      return [
        ['name', event.name],
        ['email', event.email],
      ]
  }
}
