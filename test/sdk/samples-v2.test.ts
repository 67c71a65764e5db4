import { describeSamples } from './samples.ts'

await describeSamples('v2')
