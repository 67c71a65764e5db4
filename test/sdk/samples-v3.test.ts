import { describeSamples } from './samples.ts'

await describeSamples('v3', {
  removeFilter: (owner) => owner.post('/api/v3/surveys/14/filters/', { json: { name: 'late reds', query: 'q1=2' } }),
})
