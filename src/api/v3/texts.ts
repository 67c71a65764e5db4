import * as domain from '../../domain/survey/texts.ts'
import { changeableTexts, defaultTexts } from '../../domain/text/catalog.ts'
import { mainForm } from '../../domain/text/text.ts'
import type { Operation, Schemas } from './operation.ts'

const defaultsIn = (code: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(changeableTexts(defaultTexts(code).texts)).map(([name, text]) => [name, mainForm(text)]),
  )

const textsView = ({ overrides, languages }: domain.SurveyTexts): Schemas['SurveyTexts'] => {
  const codes = new Set([...languages.map(({ code }) => code), ...Object.keys(overrides)])
  return { texts: overrides, defaults: Object.fromEntries([...codes].map((code) => [code, defaultsIn(code)])) }
}

export const getSurveyTexts: Operation<'getSurveyTexts'> = async ({ context, path }) => ({
  status: 200,
  body: textsView(await domain.findSurveyTexts(context, path.survey_id)),
})

export const updateSurveyTexts: Operation<'updateSurveyTexts'> = async ({ context, path, body }) => ({
  status: 200,
  body: textsView(await domain.updateSurveyTexts(context, path.survey_id, body.texts ?? {})),
})
