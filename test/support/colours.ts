import { compile } from '../../src/domain/structure/compile.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'

const choices = [
  { label: { en: 'Red', fr: 'Rouge' } },
  { label: { en: 'Green', fr: 'Vert' } },
  { label: { en: 'Blue', fr: 'Bleu' }, other: true },
]

/** The structure of a survey. Filters treat the answers to each of its question types in a different way. */
export const colours = {
  title: 'Colours',
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    {
      type: 'page',
      children: [
        { idname: 'section-separator', id: 'intro', title: 'Welcome' },
        { idname: 'text-response', id: 'name', identifier: 'who', title: 'Your name', children: [{ type: 'string' }] },
        { idname: 'single-choice', id: 'one', title: 'One', children: [{ type: 'single', choices }] },
        { idname: 'multiple-choice', id: 'many', title: 'Many', children: [{ type: 'multiple', choices }] },
        { idname: 'boolean-choice', id: 'sure', title: 'Sure?', children: [{ type: 'boolean' }] },
        { idname: 'datetime', id: 'when', title: 'When?', children: [{ type: 'datetime' }] },
        { idname: 'hidden-field', id: 'a=b', title: 'Source', children: [{ type: 'hidden' }] },
        { idname: 'ranking', id: 'rank', title: 'Rank', children: [{ type: 'ranking', choices }] },
        {
          idname: 'single-choice-grid',
          id: 'grid',
          title: 'Grid',
          choices,
          children: [
            { type: 'single', label: 'Sky' },
            { type: 'single', label: 'Sea' },
          ],
        },
        { idname: 'net-promoter', id: 'nps', title: 'Recommend?', children: [{ type: 'net-promoter' }] },
      ],
    },
  ],
}

export const questionnaire = compile(normaliseStructure(colours))
