import { round } from '../../domain/report/question-stats.ts'
import * as answers from '../../domain/response/coding/answers.ts'
import * as categories from '../../domain/response/coding/categories.ts'
import * as rounds from '../../domain/response/coding/rounds.ts'
import * as rules from '../../domain/response/coding/rules.ts'
import * as words from '../../domain/response/coding/words.ts'
import type { Services } from '../../domain/services.ts'
import { sliceOf } from '../../lib/paging.ts'
import type { Operation, Schemas } from './operation.ts'
import { responsesUri, userUri } from './urls.ts'

export const listCategories: Operation<'listCategories'> = async ({ context, path }) => ({
  status: 200,
  body: { results: await categories.listCategories(context, path.survey_id) },
})

export const createCategory: Operation<'createCategory'> = async ({ context, path, body }) => ({
  status: 201,
  body: await categories.createCategory(context, path.survey_id, body),
})

export const updateCategory: Operation<'updateCategory'> = async ({ context, path, body }) => ({
  status: 200,
  body: await categories.updateCategory(context, path.survey_id, path.category_id, body),
})

export const deleteCategory: Operation<'deleteCategory'> = async ({ context, path }) => {
  await categories.deleteCategory(context, path.survey_id, path.category_id)
  return { status: 200, body: 'OK' }
}

export const listTextAnswers: Operation<'listTextAnswers'> = async ({ context, path, query }) => {
  const { page_size, cursor, ...search } = query
  const { limit } = sliceOf({ limit: page_size, default: 50, max: 200 })
  const page = await answers.listAnswers(context, path.survey_id, search, { cursor, limit })
  const uri = responsesUri(context.services, path.survey_id)
  const results = page.answers.map(({ responseId, responseNumber, field, ...answer }) => ({
    response_id: responseId,
    response_number: responseNumber,
    response_uri: `${uri}${responseId}/`,
    question: field.question.id,
    key: field.key,
    ...answer,
  }))
  return { status: 200, body: { results, next_cursor: page.cursor } }
}

export const countTextAnswers: Operation<'countTextAnswers'> = async ({ context, path, query }) => ({
  status: 200,
  body: await answers.countAnswers(context, path.survey_id, query),
})

export const codeTextAnswers: Operation<'codeTextAnswers'> = async ({ context, path, body }) => {
  const names = body.answers.map(({ response_id, key }) => ({ responseId: response_id, key }))
  await answers.codeAnswers(context, path.survey_id, names, body)
  return { status: 200, body: 'OK' }
}

export const listCodingRules: Operation<'listCodingRules'> = async ({ context, path }) => ({
  status: 200,
  body: { results: (await rules.listRules(context, path.survey_id)).map(ruleView) },
})

export const createCodingRule: Operation<'createCodingRule'> = async ({ context, path, body }) => {
  const { applies_to_new: appliesToNew, ...draft } = body
  return { status: 201, body: ruleView(await rules.createRule(context, path.survey_id, { ...draft, appliesToNew })) }
}

export const applyCodingRule: Operation<'applyCodingRule'> = async ({ context, path }) => {
  await rules.applyRule(context, path.survey_id, path.rule_id)
  return { status: 202, body: 'OK' }
}

export const deleteCodingRule: Operation<'deleteCodingRule'> = async ({ context, path }) => {
  await rules.deleteRule(context, path.survey_id, path.rule_id)
  return { status: 200, body: 'OK' }
}

const ruleView = ({ appliesToNew, ...rule }: rules.CodingRule): Schemas['CodingRule'] => ({
  ...rule,
  applies_to_new: appliesToNew,
})

export const listCodingRounds: Operation<'listCodingRounds'> = async ({ context, path }) => {
  const listed = await rounds.listRounds(context, path.survey_id)
  return { status: 200, body: { results: listed.map((each) => roundView(context.services, each)) } }
}

export const openCodingRound: Operation<'openCodingRound'> = async ({ context, path }) => ({
  status: 201,
  body: roundView(context.services, await rounds.openRound(context, path.survey_id)),
})

export const closeCodingRound: Operation<'closeCodingRound'> = async ({ context, path, body }) => ({
  status: 200,
  body: roundView(context.services, await rounds.closeRound(context, path.survey_id, path.round_id, body.adopt)),
})

export const getCodingRound: Operation<'getCodingRound'> = async ({ context, path }) => {
  const { round: closed, agreement } = await rounds.showAgreement(context, path.survey_id, path.round_id)
  return {
    status: 200,
    body: {
      ...roundView(context.services, closed),
      agreement: agreement.map(({ category, answers: count, kappa, alpha }) => ({
        category,
        answers: count,
        kappa: kappa === null ? null : round(kappa, DIGITS),
        alpha: alpha === null ? null : round(alpha, DIGITS),
      })),
    },
  }
}

const DIGITS = 4

const roundView = (
  services: Services,
  { id, openedAt, closedAt, coders }: rounds.CodingRound,
): Schemas['CodingRound'] => ({
  id,
  opened_at: openedAt.toISOString(),
  closed_at: closedAt?.toISOString() ?? null,
  coders: coders.map((coder) => ({ coder_uri: userUri(services, coder.id), answers: coder.answers })),
})

export const listFrequentWords: Operation<'listFrequentWords'> = async ({ context, path, query }) => {
  const { limit } = sliceOf({ limit: query.limit, default: 50, max: 200 })
  const { languages, complete } = await words.listFrequentWords(context, path.survey_id, { ...query, limit })
  return {
    status: 200,
    body: {
      complete,
      languages: languages.map(({ stopWords, ...language }) => ({ ...language, stop_words: stopWords })),
    },
  }
}
