// Compiled, never run: the compiler accepts valid structures and rejects each planted mistake.
import { type Canvass, otherKind } from 'canvass-client'
import type { StructureInput, StructureQuestion } from 'canvass-client/v3'

declare const canvass: Canvass
const path = { survey_id: 1 }

const valid: StructureInput = {
  title: { en: 'Lunch', fr: 'Repas' },
  languages: [{ code: 'en', name: 'English', isDefault: true }],
  uniques: [],
  quotas: [{ name: 'soups', limit: 10, action: 'close', when: { question: 'meal', op: 'eq', value: 0 } }],
  form: [
    {
      type: 'page',
      children: [
        { idname: 'section-separator', title: 'Welcome' },
        { idname: 'single-choice', id: 'meal', title: 'What?', children: [{ choices: [{ label: 'Soup', score: 2 }] }] },
        { idname: 'text-response', title: { en: 'Why?' }, validation: { kind: 'email', message: 'Please' } },
        {
          idname: 'single-choice-grid',
          choices: [{ label: 'Good' }],
          children: [{ label: 'Price', required: true }],
          condition: {
            any: [{ question: 'meal', op: 'answered' }, { all: [{ question: 'meal', op: 'ne', value: 1 }] }],
          },
        },
        { idname: otherKind('map'), title: 'Where?', zoom: 3 },
      ],
      skip: [{ to: 'complete', when: { question: 'meal', op: 'eq', value: 0 } }],
    },
    { idname: 'net-promoter', leftLabel: 'Never' },
    { idname: 'number', min: 0, max: 120, decimals: 0, unit: { en: 'years' } },
    { idname: 'email', children: [{ required: true }] },
    { idname: 'rating', children: [{ steps: 5, rightLabel: 'Great' }] },
    { idname: 'multiple-choice-grid', choices: [{ label: 'Home' }], children: [{ type: 'multiple', label: 'Tablet' }] },
    {
      idname: 'image-choice',
      multiple: true,
      choices: [{ label: 'Green', image: { url: 'https://images.example.org/green.jpg', alt: 'A green cup' } }],
    },
    { idname: 'file-upload', maxFiles: 2, maxSize: 5, fileTypes: ['image', 'pdf'] },
    { idname: 'signature', required: true },
    { idname: 'random-group', choices: [{ label: 'Short' }, { label: 'Long', weight: 2 }] },
    { idname: 'constant-sum', total: 10, partial: true, unit: 'points', children: [{ type: 'number', label: 'Rent' }] },
    { idname: 'consent', statement: { en: 'I agree' }, version: '2026-01' },
    { idname: 'calculation', expression: 'sum(1, 2)', decimals: 1 },
    { idname: 'slider', min: 0, max: 10, step: 0.5 },
  ],
}
void (() => canvass.v3.updateStructure({ path, body: valid }))
void (() => canvass.v3.createTemplate({ body: { name: 'Lunch', structure: valid } }))
void (() => canvass.v2.createSurvey({ body: { ...valid, name: 'Lunch' } }))

// A structure from the service can be changed and sent back. `idname` selects the type of a question.
void (async () => {
  const structure = await canvass.v3.getStructure({ path })
  const question: StructureQuestion = structure.form[0]!.children![0]!
  if (question.idname === 'single-choice') question.children?.[0]?.choices?.push({ label: 'Pizza' })
  await canvass.v3.updateStructure({ path, body: structure })
})

const update = (question: StructureQuestion) =>
  canvass.v3.updateStructure({ path, body: { title: 'Lunch', form: [{ children: [question] }] } })

// @ts-expect-error a misspelt member of a page
void (() => canvass.v3.updateStructure({ path, body: { title: 'Lunch', form: [{ childern: [] }] } }))
// @ts-expect-error a misspelt question type
void (() => update({ idname: 'singel-choice', title: 'What?' }))
// @ts-expect-error a misspelt member of an option object
void (() => update({ idname: 'single-choice', children: [{ choises: [{ label: 'Soup' }] }] }))
// @ts-expect-error a number as the title
void (() => update({ idname: 'text-response', title: 5 }))
// @ts-expect-error a choice without a label
void (() => update({ idname: 'ranking', choices: [{ score: 1 }] }))
// @ts-expect-error an object instead of a list of choices
void (() => update({ idname: 'multiple-choice', children: [{ choices: { label: 'Soup' } }] }))
// @ts-expect-error a validation of an unknown kind
void (() => update({ idname: 'text-response', validation: { kind: 'e-mail' } }))
// @ts-expect-error a text instead of a boolean
void (() => update({ idname: 'datetime', required: 'yes' }))
// @ts-expect-error a setting of another question type
void (() => update({ idname: 'section-separator', validation: { kind: 'email' } }))
// @ts-expect-error an image without a description
void (() => update({ idname: 'image-choice', choices: [{ label: 'A', image: { url: 'https://example.org/a.png' } }] }))
// @ts-expect-error a text instead of a number
void (() => update({ idname: 'number', max: '9' }))
// @ts-expect-error a setting of another type
void (() => update({ idname: 'rating', children: [{ decimals: 2 }] }))
// @ts-expect-error a number as the title of the survey
void (() => canvass.v3.createTemplate({ body: { name: 'Lunch', structure: { title: 5 } } }))
// @ts-expect-error a misspelt member of an option object, in version 2
void (() => canvass.v2.createSurvey({ body: { form: [{ idname: 'ranking', children: [{ choises: [] }] }] } }))
