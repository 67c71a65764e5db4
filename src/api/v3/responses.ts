import { Readable } from 'node:stream'
import { storeImage } from '../../domain/file/image.ts'
import { listFiles, openFile } from '../../domain/file/queries.ts'
import { storeFile, type UploadedFile, uploadQuestion } from '../../domain/file/store.ts'
import { imagePath } from '../../domain/image/image.ts'
import { problems } from '../../domain/problem.ts'
import * as commands from '../../domain/response/edit/commands.ts'
import * as removal from '../../domain/response/edit/remove.ts'
import { deleteMatchingResponses as deleteMatching } from '../../domain/response/edit/remove-matching.ts'
import * as trash from '../../domain/response/edit/trash.ts'
import type { DataFormat } from '../../domain/response/export/columns.ts'
import { type CodebookFormat, writeCodebook } from '../../domain/response/export/statistics/codebook.ts'
import { listChanges, type ResponseChange } from '../../domain/response/feed/changes.ts'
import type { NamedQuery } from '../../domain/response/filter/saved-filters.ts'
import * as filters from '../../domain/response/filter/saved-filters.ts'
import { listHistory } from '../../domain/response/list/history.ts'
import * as queries from '../../domain/response/list/queries.ts'
import { answerViewOf, responseView, withUri } from '../../domain/response/list/response-view.ts'
import { type SubmittedResponse, submitResponse } from '../../domain/response/submit/submit.ts'
import type { Services } from '../../domain/services.ts'
import { fileUri, surveyUrl } from '../../domain/survey-address.ts'
import { selectPart } from '../../lib/http.ts'
import { pageOf, sliceOf } from '../../lib/paging.ts'
import { attachment } from '../attachment.ts'
import { httpErrors } from '../engine/http-error.ts'
import {
  dataFileReply,
  EXPORT_PARAMETERS,
  type ExportQuery,
  exportReply,
  WORKBOOK_PARAMETERS,
  workbookReply,
} from '../export.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation, type Schemas } from './operation.ts'
import { responsesUri, surveyUri, userUri } from './urls.ts'

/** Query parameters of the list. All other parameters are filters (docs/specification.md 7.7). */
const LIST_PARAMETERS: ReadonlySet<string> = new Set(['page', 'page_size', 'filter', 'include_labels', 'expand_GET'])

export const listResponses: Operation<'listResponses'> = async ({ context, path, query, search }) => {
  const page = pageOf({ page: query.page, pageSize: query.page_size, first: 0, default: 50, max: 200 })
  const listQuery = { search, mode: 'strict', parameters: LIST_PARAMETERS, filter: query.filter } as const
  const { snapshot, total, rows } = await queries.searchResponses(context, path.survey_id, listQuery, page)
  const uri = responsesUri(context.services, path.survey_id)
  const views = rows.map((row) => withUri(responseView(context.services, snapshot, row, query), uri))
  return pageReply(uri, search, page, total, views)
}

export const getResponse: Operation<'getResponse'> = async ({ context, path, query }) => {
  const { snapshot, row } = await queries.findResponse(context, path.survey_id, path.response_id)
  const uri = responsesUri(context.services, path.survey_id)
  return { status: 200, body: withUri(responseView(context.services, snapshot, row, query), uri) }
}

export const createResponse: Operation<'createResponse'> = async ({ context, path, body }) => {
  const submitted = await submitResponse(context, path.survey_id, body)
  return { status: 201, body: createdResponseView(context.services, submitted) }
}

export const updateResponse: Operation<'updateResponse'> = async ({ context, path, query, body }) => {
  await commands.updateResponse(context, path.survey_id, path.response_id, body, query.reason)
  return { status: 202, body: 'OK' }
}

export const deleteResponse: Operation<'deleteResponse'> = async ({ context, path, query }) => {
  await removal.deleteResponses(context, path.survey_id, [path.response_id], query.reason)
  return { status: 200, body: 'OK' }
}

export const listTrash: Operation<'listTrash'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { snapshot, total, responses } = await trash.listTrash(context, path.survey_id, page)
  const uri = responsesUri(context.services, path.survey_id)
  const results = responses.map(({ row, deletedAt, deletedBy, reason, erasedAt }) => ({
    response_id: row.id,
    deleted_at: deletedAt.toISOString(),
    deleted_by: deletedBy && userUri(context.services, deletedBy.id),
    reason,
    erased_at: erasedAt.toISOString(),
    response: withUri(responseView(context.services, snapshot, row, {}), uri),
  }))
  return pageReply(`${uri}trash/`, search, page, total, results)
}

export const emptyTrash: Operation<'emptyTrash'> = async ({ context, path }) => ({
  status: 200,
  body: { erased: await trash.eraseDeleted(context, path.survey_id) },
})

export const restoreResponse: Operation<'restoreResponse'> = async ({ context, path }) => {
  await trash.restoreResponse(context, path.survey_id, path.response_id)
  const { snapshot, row } = await queries.findResponse(context, path.survey_id, path.response_id)
  const uri = responsesUri(context.services, path.survey_id)
  return { status: 201, body: withUri(responseView(context.services, snapshot, row, {}), uri) }
}

export const eraseResponse: Operation<'eraseResponse'> = async ({ context, path }) => {
  await trash.eraseDeleted(context, path.survey_id, path.response_id)
  return { status: 200, body: 'OK' }
}

export const listResponseHistory: Operation<'listResponseHistory'> = async ({ context, path }) => {
  const { snapshot, revisions } = await listHistory(context, path.survey_id, path.response_id)
  const view = answerViewOf(context.services, snapshot, path.response_id)
  const results = revisions.map(({ kind, at, by, byRespondent, reason, changes }) => ({
    kind,
    at: at.toISOString(),
    by: by && userUri(context.services, by.id),
    by_respondent: byRespondent,
    reason,
    changes: changes.map(({ key, before, after }) => ({ key, before: view(key, before), after: view(key, after) })),
  }))
  return { status: 200, body: { results } }
}

export const deleteMatchingResponses: Operation<'deleteMatchingResponses'> = async ({ context, path, body }) => {
  const { created_from: createdFrom, created_to: createdTo, network, completed, expected } = body
  const conditions = { createdFrom, createdTo, network, completed }
  return { status: 200, body: await deleteMatching(context, path.survey_id, conditions, expected) }
}

export const listResponseChanges: Operation<'listResponseChanges'> = async ({ context, path, query }) => {
  const included = query.include === 'response'
  const { limit } = sliceOf({ limit: query.page_size, default: 100, max: included ? 200 : 1000 })
  const { changes, cursor, more, snapshot } = await listChanges(context, path.survey_id, { since: query.since, limit })
  const results = changes.map((change) => changeView(context.services, path.survey_id, change))
  if (included) {
    const ids = changes.map(({ responseId }) => responseId)
    const rows = await queries.findResponses(context, snapshot, ids)
    const uri = responsesUri(context.services, path.survey_id)
    for (const change of results) {
      const row = rows.get(change.response_id)
      change.response = row ? withUri(responseView(context.services, snapshot, row, {}), uri) : null
    }
  }
  return { status: 200, body: { results, next_cursor: cursor, more } }
}

function createdResponseView(
  { baseUrl }: Services,
  { id, key, snapshot }: SubmittedResponse,
): Schemas['CreatedResponse'] {
  const survey = surveyUrl(baseUrl, { username: snapshot.ownerUsername, slug: snapshot.slug })
  return { url: `${survey}${key}/`, id, key }
}

const changeView = (
  { baseUrl }: Services,
  surveyId: number,
  { seq, kind, responseId, at }: ResponseChange,
): Schemas['ResponseChange'] => ({
  seq,
  kind,
  response_id: responseId,
  at: at.toISOString(),
  response_uri: `${baseUrl}/api/v3/surveys/${surveyId}/responses/${responseId}/`,
})

export const listFilters: Operation<'listFilters'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, filters: items } = await filters.listFilters(context, path.survey_id, page)
  const results = items.map((filter) => filterView(context.services, path.survey_id, filter))
  return pageReply(`${surveyUri(context.services, path.survey_id)}filters/`, search, page, total, results)
}

export const saveFilter: Operation<'saveFilter'> = async ({ context, path, body }) => {
  const filter = await filters.saveFilter(context, path.survey_id, body)
  return { status: 201, body: filterView(context.services, path.survey_id, filter) }
}

export const removeFilter: Operation<'removeFilter'> = async ({ context, path, query, body }) => {
  await filters.removeFilter(context, path.survey_id, query.name ?? body.name)
  return { status: 200, body: 'OK' }
}

const filterView = (services: Services, surveyId: number, { name, query }: NamedQuery): Schemas['Filter'] => ({
  name,
  query,
  responses_uri: `${responsesUri(services, surveyId)}?filter=${encodeURIComponent(name)}`,
})

/** The parameters that only version 3 has. In version 2, they are filters. */
const CSV_PARAMETERS: ReadonlySet<string> = new Set([
  ...EXPORT_PARAMETERS,
  'include_codes',
  'for_statistics',
  'include_categories',
])
const XLSX_PARAMETERS: ReadonlySet<string> = new Set([
  ...WORKBOOK_PARAMETERS,
  'include_codes',
  'for_reading',
  'include_categories',
])
const JSON_LINES_PARAMETERS: ReadonlySet<string> = new Set<keyof ExportQuery>([
  'filter',
  'ids',
  'include',
  'language',
  'include_labels',
  'include_codes',
  'expand_GET',
  'include_categories',
])
const DATA_FILE_PARAMETERS: ReadonlySet<string> = new Set<keyof ExportQuery>([
  'filter',
  'ids',
  'include',
  'language',
  'include_key',
  'include_categories',
])

export const exportCsv: Operation<'exportCsv'> = ({ path, query, search, ...request }) =>
  exportReply({
    ...request,
    surveyId: path.survey_id,
    query,
    marksLabels: true,
    search: { search, mode: 'strict', parameters: CSV_PARAMETERS, filter: query.filter },
  })

export const exportJsonLines: Operation<'exportJsonLines'> = ({ path, query, search, ...request }) =>
  exportReply(
    {
      ...request,
      surveyId: path.survey_id,
      query,
      search: { search, mode: 'strict', parameters: JSON_LINES_PARAMETERS, filter: query.filter },
    },
    'jsonl',
  )

export const exportWorkbook: Operation<'exportWorkbook'> = ({ path, query, search, ...request }) =>
  workbookReply({
    ...request,
    surveyId: path.survey_id,
    query,
    search: { search, mode: 'strict', parameters: XLSX_PARAMETERS, filter: query.filter },
  })

const dataFile =
  (format: DataFormat): Operation<'exportSav' | 'exportDta' | 'exportParquet'> =>
  ({ path, query, search, ...request }) =>
    dataFileReply(
      {
        ...request,
        surveyId: path.survey_id,
        query,
        search: { search, mode: 'strict', parameters: DATA_FILE_PARAMETERS, filter: query.filter },
      },
      format,
    )

export const exportSav: Operation<'exportSav'> = dataFile('sav')
export const exportDta: Operation<'exportDta'> = dataFile('dta')
export const exportParquet: Operation<'exportParquet'> = dataFile('parquet')

const CODEBOOK_TYPES: Readonly<Record<CodebookFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  spss: 'text/plain; charset=utf-8',
  stata: 'text/plain; charset=utf-8',
  r: 'text/plain; charset=utf-8',
}

export const exportCodebook: Operation<'exportCodebook'> = async ({ context, path, query }) => {
  const { format = 'csv', language, include, include_key: withKey = false, include_categories } = query
  const options = {
    language: language || undefined,
    include: include?.length ? include : undefined,
    withKey,
    withCategories: include_categories ?? false,
    withNumber: false,
  }
  const { filename, text } = await writeCodebook(context, path.survey_id, format, options)
  const headers = { 'Content-Type': CODEBOOK_TYPES[format], 'Content-Disposition': attachment(filename) }
  return { status: 200, stream: Readable.from([Buffer.from(text)]), headers }
}

export const createFile: Operation<'createFile'> = async ({ context, path, query, body }) => {
  const { snapshot, question } = await uploadQuestion(context, path.survey_id, query.question)
  const file = await storeFile(context, snapshot, question, body, { name: query.name })
  if ('code' in file) throw problems.invalid([{ field: 'file', ...file }])
  return { status: 201, body: fileView(file) }
}

export const listResponseFiles: Operation<'listResponseFiles'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, files } = await listFiles(context, path.survey_id, path.response_id, page)
  const results = files.map((file) => ({
    ...fileView(file),
    file_uri: fileUri(context.services.baseUrl, path.survey_id, path.response_id, file.key),
  }))
  const uri = `${responsesUri(context.services, path.survey_id)}${path.response_id}/files/`
  return pageReply(uri, search, page, total, results)
}

export const getResponseFile: Operation<'getResponseFile'> = async ({ context, path, headers, method }) => {
  const { name, key, bytes, read } = await openFile(context, path.survey_id, path.file_key, path.response_id)
  // A file never changes.
  const { status, range, headers: fields } = selectPart(bytes, `"${key}"`, headers)
  if (status === 416) throw httpErrors.rangeNotSatisfiable(bytes)
  if (status === 304) return { status, headers: { ETag: fields.ETag } }
  return {
    status,
    stream: method === 'HEAD' ? Readable.from([]) : await read(range),
    headers: { ...fields, 'Content-Type': 'application/octet-stream', 'Content-Disposition': attachment(name) },
  }
}

const fileView = ({ key, questionId, name, type, bytes, createdAt }: UploadedFile) => ({
  key,
  question: questionId,
  name,
  type,
  size: bytes,
  created_at: createdAt.toISOString(),
})

export const createImage: Operation<'createImage'> = async ({ context, path, body }) => {
  const image = await storeImage(context, path.survey_id, body)
  if ('code' in image) throw problems.invalid([{ field: 'image', ...image }])
  const { type, width, height, bytes } = image
  const url = imagePath(image)
  return { status: 201, body: { url, image_uri: context.services.baseUrl + url, type, width, height, size: bytes } }
}
