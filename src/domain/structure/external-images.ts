import { isImage, isUploadedImage } from './choice-image.ts'
import { outline } from './outline.ts'
import type { Structure } from './structure.ts'
import { arrayOf, isRecord, optionOf, pageNodes, settingOf } from './walk.ts'

/** An image of a choice that browsers load from another website. */
export interface ExternalImage {
  url: string
  /** JSON pointer of the URL. */
  pointer: string
  /** Title of the question in the default language. */
  question: string
  /** Number of the choice, counted from 1. */
  number: number
}

/** Returns the images of a structure that are not uploaded to this service. */
export function externalImages({ form, languages }: Pick<Structure, 'form' | 'languages'>): ExternalImage[] {
  const code = languages.find(({ isDefault }) => isDefault)?.code ?? ''
  return outline(pageNodes(form)).flatMap(({ source, kind, pointer }) => {
    if (kind !== 'image-choice') return []
    const list = optionOf(source)?.choices === undefined ? `${pointer}/choices` : `${pointer}/children/0/choices`
    const question = isRecord(source.title) ? String(source.title[code] ?? '') : String(source.title ?? '')
    return arrayOf(settingOf(source, 'choices')).flatMap((choice, index) =>
      isRecord(choice) && isImage(choice.image) && !isUploadedImage(choice.image.url)
        ? [{ url: choice.image.url, pointer: `${list}/${index}/image/url`, question, number: index + 1 }]
        : [],
    )
  })
}
