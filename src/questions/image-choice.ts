import { isImage } from '../domain/structure/choice-image.ts'
import { ref } from '../domain/structure/json-schema.ts'
import { textOf } from '../domain/structure/language-text.ts'
import { arrayOf, isRecord } from '../domain/structure/walk.ts'
import { authoredChoices } from './choices.ts'
import type { QuestionType } from './question-type.ts'
import { bounds, choiceFilter, choices } from './settings.ts'

/** One or several choices with images. */
export const imageChoice: QuestionType<'image-choice'> = {
  idname: 'image-choice',
  optionTypes: ['image'],
  fieldType: 'single',
  choices: true,
  withImages: true,
  settings: {
    choices: { ...choices, items: ref('ImageChoice') },
    ...bounds,
    ...choiceFilter,
    multiple: { type: 'boolean', description: 'Respondents can select several images.' },
  },
  compileChoices(setting) {
    const authored = arrayOf(setting('choices')).filter(isRecord)
    return authoredChoices(authored).map((choice, index) => {
      const { image } = authored[index]!
      return { ...choice, other: false, ...(isImage(image) && { image: { url: image.url, alt: textOf(image.alt) } }) }
    })
  },
  compileSettings: (setting) => ({ multiple: setting('multiple') === true }),
  seconds: [3, 0.5],
}
