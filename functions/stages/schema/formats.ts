// Formats of CRD schemas that act. On create the API server looks at no other that ours name: int32 is a hint there.

const INT64 = 2 ** 63;

export const formats = {
  /** Numbers are whole already. At 64 bits and beyond it is a float, to the API server too, which refuses that. */
  int64: { type: 'number', validate: (value: number): boolean => value > -INT64 && value < INT64 },
};
