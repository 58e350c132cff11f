# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before that, spack.package has it
    pass


class Tessera(CMakePackage):
    """Image and stencil pipelines, distributed over ranks, threads and GPUs, on Kokkos and MPI."""

    # The checkout that holds this Spack repository.
    git = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=True, description="Threads on the host, with OpenMP")
    variant("cuda", default=False, description="NVIDIA GPUs")
    variant("rocm", default=False, description="AMD GPUs")
    variant("apps", default=True, description="Build the applications")
    variant("benchmarks", default=False, description="Build tessera-bench")
    variant("hdf5", default=True, description="HDF5 files, and with them checkpoints")
    variant("png", default=True, description="PNG files")
    variant("tiff", default=True, description="TIFF files")
    variant("jpeg", default=True, description="JPEG files")
    variant("fits", default=True, description="FITS files")
    variant("ffmpeg", default=False, description="Videos, with FFmpeg's libraries")
    variant("hwloc", default=True, description="Sizes of caches and NUMA domains from hwloc")
    variant("checks", default=False, description="Check every access against its footprint")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("kokkos@3.4:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+cuda+wrapper", when="+cuda")
    depends_on("kokkos+rocm", when="+rocm")
    depends_on("mpi")
    depends_on("hdf5@1.10.7: +mpi", when="+hdf5")
    depends_on("libpng", when="+png")
    depends_on("zlib-api", when="+png")
    depends_on("libtiff@4.5:", when="+tiff")
    depends_on("jpeg", when="+jpeg")
    depends_on("cfitsio", when="+fits")
    depends_on("ffmpeg@5:", when="+ffmpeg")
    depends_on("yaml-cpp")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("hwloc", when="+hwloc")
    depends_on("googletest", type="test")
    depends_on("py-h5py", type="test")
    depends_on("benchmark", when="+benchmarks")

    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("TESSERA_BUILD_APPS", "apps"),
            self.define_from_variant("TESSERA_BUILD_BENCHMARKS", "benchmarks"),
            self.define_from_variant("TESSERA_CHECKS", "checks"),
            self.define_from_variant("TESSERA_HDF5", "hdf5"),
            self.define_from_variant("TESSERA_PNG", "png"),
            self.define_from_variant("TESSERA_TIFF", "tiff"),
            self.define_from_variant("TESSERA_JPEG", "jpeg"),
            self.define_from_variant("TESSERA_FITS", "fits"),
            self.define_from_variant("TESSERA_VIDEO", "ffmpeg"),
            self.define_from_variant("TESSERA_HWLOC", "hwloc"),
            self.define("TESSERA_BUILD_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        return arguments
