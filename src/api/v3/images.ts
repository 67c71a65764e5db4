import { storeImage } from '../../domain/file/image.ts'
import { imagePath } from '../../domain/image/image.ts'
import { problems } from '../../domain/problem.ts'
import type { Operation } from './operation.ts'

export const createImage: Operation<'createImage'> = async ({ context, path, body }) => {
  const image = await storeImage(context, path.survey_id, body)
  if ('code' in image) throw problems.invalid([{ field: 'image', ...image }])
  const { type, width, height, bytes } = image
  const url = imagePath(image)
  return { status: 201, body: { url, image_uri: context.services.baseUrl + url, type, width, height, size: bytes } }
}
