import type { Context } from '../context.ts'
import { type DomainEvent, eventFields } from '../event.ts'
import { answerTo } from '../structure/answered.ts'
import { withFileAddresses } from '../structure/file-answer.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { fromStored } from '../structure/stored.ts'
import { labelOf } from '../structure/text.ts'
import { fileUri, surveyUrl } from '../survey-address.ts'
import { type BodyFormat, encodeBody, formatCallbackTime, type WebhookForm } from '../webhook-form.ts'
import type { EventType, ResponseFacts } from './webhook.ts'

const survey = { id: 0, name: 'Sample survey', slug: 'sample-survey' }

/** Returns the body of a sample event: with every field of a real event, the name of the actor and sample values. */
export function sampleBody({ actor, now, services }: Context, type: EventType, format: BodyFormat): string {
  const { username } = actor
  const time = now.toISOString()
  if (type === 'response_complete')
    return encodeBody(
      format,
      responseFields(
        services.baseUrl,
        {
          id: 0,
          key: '0'.repeat(40),
          score: 1,
          language: 'en',
          referrer: '',
          invite_email: null,
          invite_name: null,
          created_at: time,
          updated_at: time,
          answers: { question: 'Sample answer' },
          survey_id: survey.id,
          survey_name: survey.name,
          slug: survey.slug,
          username,
          version: 0,
        },
        undefined,
      ),
    )
  const events: Record<Exclude<EventType, 'response_complete'>, DomainEvent> = {
    survey_create: { type: 'survey_create', survey: { ...survey, username } },
    report_create: {
      type: 'report_create',
      survey: { ...survey, username, ownerId: actor.id },
      reportId: 0,
    },
    contact_create: { type: 'contact_create', name: 'Sample Contact', email: 'sample@example.org' },
  }
  return encodeBody(format, eventFields({ actor, services }, events[type]))
}

const NO_INVITE = 'N/A'

/**
 * Returns the callback fields of `response_complete` (docs/specification.md 11.3), followed by the answers by response
 * key (the key of an answer, such as `grid_0`). An answer whose key is the name of a callback field is omitted.
 * @param questionnaire the version that was answered; undefined if this version no longer exists (answers are then sent
 *   as stored)
 */
export function responseFields(
  baseUrl: string,
  facts: ResponseFacts,
  questionnaire: Questionnaire | undefined,
): WebhookForm {
  const created = new Date(facts.created_at)
  const specified: WebhookForm = [
    ['score', facts.score === null ? '' : String(facts.score)],
    ['invite_email', facts.invite_email || NO_INVITE],
    ['invite_name', facts.invite_name || NO_INVITE],
    ['language', facts.language],
    ['referrer', facts.referrer ?? ''],
    ['created_at', formatCallbackTime(created)],
    ['survey_name', facts.survey_name],
    ['updated_at', formatCallbackTime(new Date(facts.updated_at))],
    ['survey_url', surveyUrl(baseUrl, facts)],
    ['id', String(facts.id)],
    ['_id', String(facts.id)],
    ['_created_at', created.toISOString().slice(0, 19)],
    ['_key', facts.key],
  ]
  const names = new Set(specified.map(([name]) => name))
  return [...specified, ...answerFields(baseUrl, facts, questionnaire).filter(([name]) => !names.has(name))]
}

function answerFields(
  baseUrl: string,
  { id, survey_id, answers, language }: ResponseFacts,
  questionnaire: Questionnaire | undefined,
): WebhookForm {
  const values = questionnaire ? fromStored(questionnaire, answers as Answers) : answers
  const addressOf = (key: string) => fileUri(baseUrl, survey_id, id, key)
  const labelled: WebhookForm = (questionnaire?.fields ?? []).flatMap((field) => {
    const value = answerTo(values as Answers, field.key)
    if (value === undefined) return []
    const shown = field.type === 'file' ? withFileAddresses(value, addressOf) : value
    return [[field.key, shown === value ? labelOf(field, value, language, questionnaire!) : String(shown)] as const]
  })
  const labelledKeys = new Set(labelled.map(([key]) => key))
  const others = Object.entries(values).filter(([key]) => !labelledKeys.has(key) && !key.includes('\0'))
  return [...labelled, ...others.map(([key, value]) => [key, textOf(value)] as const)]
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value))
