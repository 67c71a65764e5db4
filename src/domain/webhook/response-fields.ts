import { answerTo } from '../structure/answered.ts'
import type { Answers, Questionnaire } from '../structure/questionnaire.ts'
import { fromStored } from '../structure/stored.ts'
import { labelOf } from '../structure/text.ts'
import { deployAddress } from '../survey-address.ts'
import { callbackTime, type WebhookForm } from '../webhook-form.ts'
import type { ResponseFacts } from './delivery.ts'

const NO_INVITE = 'N/A'

/**
 * The callback fields of `response_complete` (specification, "Events"), then ours: `_id`, `_created_at`, `_key` and the
 * answers by response key. A question whose key is the name of a specified field keeps silent rather than change it.
 * @param questionnaire the version that was answered; undefined when it is no more: answers are told as they are stored
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
    ['created_at', callbackTime(created)],
    ['survey_name', facts.survey_name],
    ['updated_at', callbackTime(new Date(facts.updated_at))],
    ['survey_url', deployAddress(baseUrl, facts)],
    ['id', String(facts.id)],
    ['_id', String(facts.id)],
    ['_created_at', created.toISOString().slice(0, 19)],
    ['_key', facts.key],
  ]
  const taken = new Set(specified.map(([name]) => name))
  return [...specified, ...answerPairs(facts, questionnaire).filter(([name]) => !taken.has(name))]
}

function answerPairs({ answers, language }: ResponseFacts, questionnaire: Questionnaire | undefined): WebhookForm {
  const read = questionnaire ? fromStored(questionnaire, answers as Answers) : answers
  const labelled: WebhookForm = (questionnaire?.fields ?? []).flatMap((field) => {
    const value = answerTo(read as Answers, field.key)
    return value === undefined ? [] : [[field.key, labelOf(field, value, language, questionnaire!)] as const]
  })
  const known = new Set(labelled.map(([key]) => key))
  const others = Object.entries(read).filter(([key]) => !known.has(key) && !key.includes('\0'))
  return [...labelled, ...others.map(([key, value]) => [key, textOf(value)] as const)]
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value))
