import { isAutomatic, type KnownKind, questionTypes } from '../../questions/index.ts'
import { MAX_CHOICES, sharedSettings } from '../../questions/settings.ts'
import { choiceImageSchema } from './choice-image.ts'
import { ref, type Schema, schemas, text } from './json-schema.ts'
import { choice, choiceFilter, code, groupChoice, imageChoice, textValidation, uid } from './setting-schemas.ts'

export const commonMembers = schemas({
  id: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'ID under which answers are stored. Do not change it. Generated if omitted.',
  },
  identifier: {
    type: 'string',
    maxLength: 255,
    pattern: '^([A-Za-z][A-Za-z0-9_]*)?$',
    description:
      'Name used in conditions, placeholders and export columns: a letter, then letters, digits and underscores.',
  },
  title: text(
    'Text of the question. {{ id }} inserts an earlier answer; {{ id | default: "text" }} inserts a text if there is none.',
  ),
  description: text('Description of the question, shown below its title.'),
  condition: ref('Condition', 'Shows the question only if the condition is met.'),
  width: { type: 'number', description: 'Width in percent on wide screens. Two questions of 50 share a row.' },
})

const { required, randomize, choices } = sharedSettings

/** Returns the name of the schema of a question type: `SingleChoiceQuestion` for `single-choice`. */
const nameOf = (kind: KnownKind, suffix = 'Question') =>
  kind.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()) + suffix

/** Returns the schemas of a question type: of the question, and of its option object. Grids have rows instead. */
function schemasOf(kind: KnownKind): Record<string, Schema> {
  const type = questionTypes[kind]
  const { optionTypes, grid, choices: hasChoices } = type
  const [optionType] = optionTypes
  const settings: Record<string, Schema> = {
    ...(optionType && !isAutomatic(kind) && { required }),
    ...(hasChoices && {
      choices: grid ? { ...choices, minItems: 1, description: 'The columns.' } : choices,
      ...(!isAutomatic(kind) && { randomize }),
    }),
    ...type.settings,
  }
  const optionTypeSchema: Schema = { type: 'string', enum: optionTypes, description: 'Type of the option object.' }
  const option = nameOf(kind, grid ? 'Row' : 'Option')
  const children: Schema = !optionType
    ? { type: 'array', items: {}, description: 'Must be empty.' }
    : grid
      ? { type: 'array', items: ref(option), minItems: 1, maxItems: MAX_CHOICES, description: 'The rows.' }
      : { type: 'array', items: ref(option), description: 'A single object with the settings of the question.' }
  return {
    [nameOf(kind)]: {
      type: 'object',
      description: `A question of the type \`${kind}\`.${optionType && !grid ? ' Its settings are members of its option object, or of the question itself.' : ''}`,
      required: ['idname', ...(grid ? ['children'] : []), ...(grid && hasChoices ? ['choices'] : [])],
      properties: {
        idname: { type: 'string', const: kind, description: 'Type of the question.' },
        type: { type: 'string', const: 'question', description: 'Always `question`.' },
        ...commonMembers,
        children,
        ...settings,
      },
      examples: [exampleOf(kind)],
    },
    ...(optionType && {
      [option]: {
        type: 'object',
        description: grid ? `A row of a \`${kind}\` question.` : `The option object of a \`${kind}\` question.`,
        properties: grid
          ? {
              type: optionTypeSchema,
              label: text('Label of the row.'),
              ...(!type.joinedRows && { required }),
              code,
              uid,
            }
          : { type: optionTypeSchema, ...settings },
        examples: [{ type: optionType, ...(grid && { label: '' }) }],
      },
    }),
  }
}

/** Returns an example question of a type with empty texts. */
function exampleOf(idname: KnownKind): Record<string, unknown> {
  const { optionTypes, choices, grid, newSettings } = questionTypes[idname]
  const [optionType] = optionTypes
  const withChoices = choices ? { choices: [{ label: '' }, { label: '' }] } : {}
  if (grid) return { idname, title: '', ...withChoices, children: [{ type: optionType, label: '' }] }
  return { idname, title: '', ...(optionType && { children: [{ type: optionType, ...withChoices, ...newSettings }] }) }
}

const idnames = Object.keys(questionTypes) as KnownKind[]

/**
 * The named schemas of questions. `OtherQuestion` describes a question of any other type, and accepts unknown members.
 * Such a question is kept in the structure, and respondents see only its title and description.
 */
export const questionSchemas: Readonly<Record<string, Schema>> = {
  Text: {
    description: 'A plain text in the default language, or an object with one text for each language code.',
    anyOf: [{ type: 'string' }, ref('LanguageText')],
  },
  LanguageText: {
    type: 'object',
    description: 'One text for each language code.',
    additionalProperties: { type: 'string' },
  },
  StructureQuestion: {
    description: 'A question. Its members depend on `idname`, its type.',
    anyOf: [ref('KnownQuestion'), ref('OtherQuestion')],
  },
  KnownQuestion: {
    description: 'A question of one of the types that this version of the service supports.',
    oneOf: idnames.map((kind) => ref(nameOf(kind))),
    discriminator: {
      propertyName: 'idname',
      mapping: Object.fromEntries(idnames.map((kind) => [kind, `#/$defs/${nameOf(kind)}`])),
    },
  },
  ...Object.assign({}, ...idnames.map(schemasOf)),
  OtherQuestion: {
    type: 'object',
    description: 'A question of any other type. It is stored with all its members and shown as text.',
    required: ['idname'],
    properties: {
      idname: { type: 'string', minLength: 1, description: 'Type of the question.' },
      type: { type: 'string', description: 'Usually `question`.' },
      ...commonMembers,
      children: { type: 'array', items: {}, description: 'Stored and returned unchanged.' },
    },
    additionalProperties: true,
  },
  StructureChoice: choice,
  ImageChoice: imageChoice,
  GroupChoice: groupChoice,
  ChoiceFilter: choiceFilter,
  ChoiceImage: choiceImageSchema,
  TextValidation: textValidation,
}
