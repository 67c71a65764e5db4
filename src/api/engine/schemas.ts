import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isEmailAddress } from '../../domain/email-address.ts'
import type { Contract } from './contract.ts'

export type { ErrorObject, ValidateFunction }

const addFormats = formats as unknown as (ajv: Ajv2020) => void

/** The formats that OpenAPI adds to those of JSON Schema, and one that we read our way. A 64-bit integer is one that JavaScript can hold exactly. */
const OPENAPI_FORMATS = {
  int32: { type: 'number', validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31 },
  int64: { type: 'number', validate: (n: number) => Number.isSafeInteger(n) },
  float: true,
  double: true,
  binary: true,
  password: true,
  /** The rule by which we send, blanks around it left out: JSON Schema's own lets fewer through. */
  email: (text: string) => isEmailAddress(text.trim()),
} as const

/** The whole document as the one root of all references, so that every schema is compiled once and none is copied. */
const ROOT = 'contract:'

/**
 * Compiles schemas of one contract by JSON pointer, when they are first asked for.
 * `useDefaults` fills in what a request leaves out.
 */
export class Schemas {
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(contract: Contract, options: Options) {
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, addUsedSchema: false, verbose: true, ...options })
    addFormats(this.#ajv)
    for (const [name, format] of Object.entries(OPENAPI_FORMATS)) this.#ajv.addFormat(name, format)
    this.#ajv.addSchema({ ...contract, $id: ROOT })
  }

  /** @param pointer as `#/components/schemas/Survey` */
  at(pointer: string): ValidateFunction {
    let validate = this.#compiled.get(pointer)
    if (!validate) {
      validate = this.#ajv.compile({ $ref: ROOT + pointer })
      this.#compiled.set(pointer, validate)
    }
    return validate
  }

  /** An object of which some members are described in the contract. */
  object(shape: {
    properties: Readonly<Record<string, { pointer: string; default?: unknown }>>
    required: readonly string[]
    open: boolean
  }): ValidateFunction {
    const properties = Object.fromEntries(
      Object.entries(shape.properties).map(([name, { pointer, ...rest }]) => [name, { $ref: ROOT + pointer, ...rest }]),
    )
    return this.#ajv.compile({ type: 'object', properties, required: shape.required, additionalProperties: shape.open })
  }
}
