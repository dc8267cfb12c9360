//! Rows on their way to Python, in Arrow's C data interface.

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowSchema, to_ffi};
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, StructArray};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

/// Rows of a table, column by column. What knows Arrow's PyCapsule interface takes it as
/// it is, without a copy: `pyarrow.record_batch(rows)`, `polars.DataFrame(rows)`.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct RecordBatch(pub(crate) arrow_array::RecordBatch);

/// A capsule of Arrow's C data interface.
type Capsule<'py> = Bound<'py, PyCapsule>;

#[pymethods]
impl RecordBatch {
    /// How many rows it has.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// The rows as capsules of Arrow's C data interface: schema and array.
    /// `requested_schema` is a wish, which is not heeded.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Capsule<'py>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        drop(requested_schema);
        let rows = StructArray::from(self.0.clone());
        let (array, _) = to_ffi(&rows.to_data()).map_err(failed)?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    /// Their schema as a capsule of Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema_ref().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The values of each column, for where Arrow's libraries are missing. RuntimeError for
    /// columns other than of text and numbers.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (field, values) in self.0.schema_ref().fields().iter().zip(self.0.columns()) {
            let values = if let Some(text) = values.as_string_opt::<i32>() {
                PyList::new(py, text)?
            } else if let Some(floats) = values.as_primitive_opt::<Float64Type>() {
                PyList::new(py, floats)?
            } else if let Some(integers) = values.as_primitive_opt::<Int64Type>() {
                PyList::new(py, integers)?
            } else {
                return Err(failed(format!(
                    "{}: neither text nor numbers",
                    field.name()
                )));
            };
            columns.set_item(field.name(), values)?;
        }
        Ok(columns)
    }

    fn __repr__(&self) -> String {
        let columns: Vec<_> = self
            .0
            .schema_ref()
            .fields()
            .iter()
            .map(|f| f.name())
            .collect();
        format!("<RecordBatch of {} rows: {columns:?}>", self.num_rows())
    }
}

/// What cannot happen to rows that keep to their schema.
pub(crate) fn failed(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
