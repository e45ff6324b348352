// Formats of CRD schemas that act. On create the API server looks at no other that ours name: int32 is a hint there.

const INT64 = 2 ** 63;

export const formats = {
  /** Numbers are whole already; beyond 64 bits the API server has a float in its hands and refuses it. */
  int64: { type: 'number', validate: (value: number): boolean => value >= -INT64 && value < INT64 },
};
