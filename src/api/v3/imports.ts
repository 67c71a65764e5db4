import * as imports from '../../domain/moving/import.ts'
import { findImport, type ImportRecord, type SurveyImport } from '../../domain/moving/record.ts'
import type { Services } from '../../domain/services.ts'
import type { Operation, Schemas } from './operation.ts'
import { importUri, surveyUri } from './urls.ts'

export const importSurvey: Operation<'importSurvey'> = async ({ context, body, query }) => {
  const { imported } = await imports.importSurvey(context, body, { name: query.name })
  return { status: 201, body: importView(context.services, imported) }
}

export const previewImport: Operation<'previewImport'> = async ({ context, body }) => {
  const { moved, record } = await imports.previewImport(context, body)
  return { status: 200, body: { format: moved.format, structure: moved.structure, ...reportView(record) } }
}

export const getSurveyImport: Operation<'getSurveyImport'> = async ({ context, path }) => {
  return { status: 200, body: importView(context.services, await findImport(context, path.survey_id)) }
}

const importView = (
  services: Services,
  { surveyId, format, createdAt, record }: SurveyImport,
): Schemas['ImportedSurvey'] => ({
  survey_uri: surveyUri(services, surveyId!),
  import_uri: importUri(services, surveyId!),
  format,
  created_at: createdAt.toISOString(),
  stored: record.stored,
  ...reportView(record),
})

const reportView = ({ title, responses, notes, proofs }: ImportRecord) => ({
  title,
  responses,
  notes: notes.map(({ code, item, column, row, value, count, message }) => ({
    code,
    item,
    column,
    row,
    value,
    count,
    message,
  })),
  proofs: proofs.map(({ key, title: questionTitle, column, old, new: stored, lines, equal }) => ({
    key,
    title: questionTitle,
    column,
    old: { answered: old.answered, sum: old.sum },
    new: { answered: stored.answered, sum: stored.sum },
    lines: lines.map((line) => ({
      value: line.value,
      label: line.label,
      choice: line.choice,
      old: line.old,
      new: line.new,
    })),
    equal,
  })),
})
