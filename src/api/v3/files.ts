import { Readable } from 'node:stream'
import { storeImage } from '../../domain/file/image.ts'
import { listFiles, openFile } from '../../domain/file/queries.ts'
import { storeFile, type UploadedFile, uploadQuestion } from '../../domain/file/store.ts'
import { imagePath } from '../../domain/image/image.ts'
import { problems } from '../../domain/problem.ts'
import { fileUri } from '../../domain/survey-address.ts'
import { selectPart } from '../../lib/http.ts'
import { attachment } from '../attachment.ts'
import { httpErrors } from '../engine/http-error.ts'
import { pageReply } from '../paging.ts'
import { collectionPage, type Operation } from './operation.ts'
import { responsesUri } from './urls.ts'

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
