import { isImage } from '../domain/structure/choice-image.ts'
import { ref } from '../domain/structure/json-schema.ts'
import { textOf } from '../domain/structure/language-text.ts'
import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { bounds, choiceFilter, choices } from './settings.ts'

/** One or several choices with images. */
export const imageChoice = questionType({
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
  compileChoices: ({ choices = [] }) =>
    choicesIn({ choices }).map((choice, index) => {
      const { image } = choices[index]!
      return { ...choice, other: false, ...(isImage(image) && { image: { url: image.url, alt: textOf(image.alt) } }) }
    }),
  compileSettings: ({ multiple = false }) => ({ multiple }),
  seconds: [3, 0.5],
})
